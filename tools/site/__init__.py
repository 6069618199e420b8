"""The documentation as a site: hooks and theme of mkdocs."""
