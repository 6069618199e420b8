"""What a site says of the uses that may be made of its content, and whether a crawl's purposes are among them."""
