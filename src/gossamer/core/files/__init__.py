"""Files that follow the commit: what the next commit says of them, and what recovery does with what it finds."""
