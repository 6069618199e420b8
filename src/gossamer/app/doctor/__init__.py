"""`gossamer doctor`: what is the matter with this machine, or with a crawl folder, and how a folder is mended."""
