"""Measuring a crawl on this machine: a web made of real pages, a sampling profiler, and what both say together."""
