"""A web, a disk, a network and a clock made from one number; the real crawl loop runs on it.

The number is called *simulation seed*. Checkers watch from outside; a failure prints the line that replays it.
"""
