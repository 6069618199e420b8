"""robots.txt by RFC 9309: parsing, the verdict for one URL, and how old a verdict may be. It fails closed."""
