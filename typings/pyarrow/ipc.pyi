from collections.abc import Iterator

from pyarrow import Buffer, RecordBatch, Schema

class RecordBatchStreamReader(Iterator[RecordBatch]):
    @property
    def schema(self) -> Schema: ...
    def __next__(self) -> RecordBatch: ...

def open_stream(source: Buffer) -> RecordBatchStreamReader: ...
