"""isal_zlib of python-isal 1.9: the stub it ships leaves parameters untyped."""

from typing import Final

ISAL_BEST_SPEED: Final[int]
ISAL_BEST_COMPRESSION: Final[int]
ISAL_DEFAULT_COMPRESSION: Final[int]
MAX_WBITS: Final[int]
DEF_BUF_SIZE: Final[int]
DEF_MEM_LEVEL: Final[int]
DEFLATED: Final[int]
Z_DEFAULT_STRATEGY: Final[int]
Z_NO_FLUSH: Final[int]
Z_SYNC_FLUSH: Final[int]
Z_FULL_FLUSH: Final[int]
Z_FINISH: Final[int]

class error(Exception): ...

IsalError = error

Data = bytes | bytearray | memoryview

def adler32(data: Data, value: int = 1, /) -> int: ...
def crc32(data: Data, value: int = 0, /) -> int: ...
def compress(data: Data, /, level: int = ..., wbits: int = ...) -> bytes: ...
def decompress(data: Data, /, wbits: int = ..., bufsize: int = ...) -> bytes: ...

class Compress:
    def compress(self, data: Data, /) -> bytes: ...
    def flush(self, mode: int = ...) -> bytes: ...

class Decompress:
    unused_data: bytes
    unconsumed_tail: bytes
    eof: bool

    def decompress(self, data: Data, /, max_length: int = 0) -> bytes: ...
    def flush(self, length: int = ...) -> bytes: ...

def compressobj(
    level: int = ..., method: int = ..., wbits: int = ..., memLevel: int = ..., strategy: int = ..., zdict: Data = ...
) -> Compress: ...
def decompressobj(wbits: int = ..., zdict: Data = ...) -> Decompress: ...
