"""What a site or a host may have of a crawl, and what is done with URLs over it."""
