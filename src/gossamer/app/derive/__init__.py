"""From an archive alone to datasets and index: what a crawl knew of each answer, or what can be known of a stranger's.

`visits` puts the records of one visit together, `evidence` makes of them what the crawl had in hand, `originals` finds
the body of a revisit, and `deriving` writes the rows with the crawl's own functions.
"""
