"""The world, one file for each port and technology. Adapters import neither each other nor the crawl loop."""
