"""Gossamer: a polite, durable web crawler.

The package is built in layers, each of which may import only those to its left:

    core  <-  ports  <-  ( flow | adapters | plugins )  <-  simulation  <-  app

``core`` decides, ``ports`` says what a decision needs from the world, ``flow`` is the crawl loop, ``adapters`` are the
world, ``simulation`` is a made-up world, and ``app`` puts the parts together. One noun names one thing everywhere: the
folder in ``core/``, the file in ``ports/``, the prefix in ``adapters/`` and the folder in ``tests/``.
"""

__version__ = "0.1.0"
