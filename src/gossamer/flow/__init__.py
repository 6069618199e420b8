"""The crawl loop and the life of one URL, each readable on one page. Written against ports only."""
