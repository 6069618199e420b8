"""What Gossamer uses of pycurl 7.45 and later."""

from typing import Final

ACTIVESOCKET: Final[int]
BUFFERSIZE: Final[int]
CAINFO: Final[int]
CONNECTTIMEOUT_MS: Final[int]
CONNECT_TO: Final[int]
CSELECT_IN: Final[int]
CSELECT_OUT: Final[int]
CURL_HTTP_VERSION_1_1: Final[int]
CURL_HTTP_VERSION_2TLS: Final[int]
DEBUGFUNCTION: Final[int]
DNS_CACHE_TIMEOUT: Final[int]
FOLLOWLOCATION: Final[int]
FORBID_REUSE: Final[int]
FRESH_CONNECT: Final[int]
HEADERFUNCTION: Final[int]
HEADEROPT: Final[int]
HEADER_SEPARATE: Final[int]
HTTP09_ALLOWED: Final[int]
HTTPHEADER: Final[int]
HTTP_CONTENT_DECODING: Final[int]
HTTP_VERSION: Final[int]
INFOTYPE_TEXT: Final[int]
MAXAGE_CONN: Final[int]
M_MAXCONNECTS: Final[int]
M_PIPELINING: Final[int]
M_SOCKETFUNCTION: Final[int]
M_TIMERFUNCTION: Final[int]
NETRC: Final[int]
NETRC_IGNORED: Final[int]
NOPROXY: Final[int]
NOSIGNAL: Final[int]
NUM_CONNECTS: Final[int]
OPENSOCKETFUNCTION: Final[int]
OS_ERRNO: Final[int]
PIPE_NOTHING: Final[int]
POLL_IN: Final[int]
POLL_OUT: Final[int]
POLL_REMOVE: Final[int]
PREREQFUNCTION: Final[int]
PREREQFUNC_ABORT: Final[int]
PREREQFUNC_OK: Final[int]
PROTOCOLS: Final[int]
PROTO_HTTP: Final[int]
PROTO_HTTPS: Final[int]
PROXY: Final[int]
PROXYPASSWORD: Final[int]
PROXYUSERNAME: Final[int]
REQUEST_TARGET: Final[int]
SOCKET_TIMEOUT: Final[int]
SSLVERSION: Final[int]
SSLVERSION_TLSv1_2: Final[int]
SSL_VERIFYHOST: Final[int]
SSL_VERIFYPEER: Final[int]
TIMEOUT_MS: Final[int]
URL: Final[int]
VERBOSE: Final[int]
WRITEFUNCTION: Final[int]

class error(Exception): ...

class Curl:
    def __init__(self) -> None: ...
    def setopt(self, option: int, value: object) -> None: ...
    def unsetopt(self, option: int) -> None: ...
    def getinfo(self, info: int) -> int:
        """Numbers only: what Gossamer asks for."""
    def close(self) -> None: ...

class CurlMulti:
    def __init__(self) -> None: ...
    def setopt(self, option: int, value: object) -> None: ...
    def add_handle(self, curl: Curl) -> None: ...
    def remove_handle(self, curl: Curl) -> None: ...
    def socket_action(self, descriptor: int, events: int) -> tuple[int, int]: ...
    def info_read(self, max_objects: int = ...) -> tuple[int, list[Curl], list[tuple[Curl, int, str]]]: ...
    def close(self) -> None: ...
