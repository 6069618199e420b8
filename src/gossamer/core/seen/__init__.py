"""Two tests of newness: URL seen (new to the frontier?) and content seen (new to the archive?)."""
