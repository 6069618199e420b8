"""Why a URL was or was not fetched: from what a crawl keeps to one answer. No part of it looks anything up."""
