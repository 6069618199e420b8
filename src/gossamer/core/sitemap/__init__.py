"""Sitemaps and feeds: files that name URLs, and what they claim of them. Nothing malformed raises."""
