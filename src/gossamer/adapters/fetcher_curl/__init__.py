"""The port `fetcher` by libcurl.

`fetcher` performs an exchange, trying one address after the other; `transfer` is one attempt: what libcurl calls back
and what it made of it; `multi` drives libcurl from the event loop; `options` says how libcurl is set up and why;
`kept` closes idle connections in time; `due` looks at transfers that may be too slow; `failures` turns libcurl's
numbers into our words.
"""

from gossamer.adapters.fetcher_curl.fetcher import CurlFetcher
from gossamer.adapters.fetcher_curl.options import system_ca_file

__all__ = ["CurlFetcher", "system_ca_file"]
