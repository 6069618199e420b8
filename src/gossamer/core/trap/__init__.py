"""Traps: supplies of URLs without end or worth, told by what their fetches bring, and by their shape."""
