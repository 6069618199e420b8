"""Archive bytes: WARC/1.1 records, CDX lines and their sort keys, reading and writing without opening a file."""
