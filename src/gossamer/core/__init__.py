"""Every decision of the crawler, without a clock, chance, file, socket, thread, task or log of its own.

Time and randomness are arguments, so that a decision can be replayed from its inputs. The life of a URL, in the
packages that decide each step of it:

1. *Found*: read from a page (``page``) and parsed by the URL standard (``url``).
2. *Wanted?* Scope and filters (``scope``); a refusal always carries its reason.
3. *URL seen?* by its key (``url``, ``seen``).
4. *Queued* in a front queue of its host (``frontier``).
5. *Leased* when the host's gap has passed (``politeness``), robots.txt allows it (``robots``) and its address may be
   contacted (``dns``).
6. *Fetched* within limits (``http``, ``limits``); redirects are reported, not chased.
7. *Read* once into a document with its links (``page``).
8. *Content seen?* by the digest of its body (``seen``).
9. *Archived* as request, response or revisit records (``warc``), then reported to the frontier.
10. *Known*: the page record (``datasets``) holds what a later visit needs.
"""
