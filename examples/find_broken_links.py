"""Broken links of your own site: every link that leads to an error, and every page that it stands on.

    python examples/find_broken_links.py https://www.example.org/

Links to other sites are not followed. Ends with status 1 if a link is broken, for use in checks before a release.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict

import gossamer


def main() -> int:
    """Crawl and report; 1 if something is broken."""
    parser = argparse.ArgumentParser(description="find broken links of a site")
    parser.add_argument("url")
    parser.add_argument("--pages", type=int, default=5000, help="pages at most")
    parser.add_argument("--contact", help="mail or web address told to the site")
    parser.add_argument("--allow-address", action="append", default=[], help="address range of your own to allow")
    args = parser.parse_args()

    standing_on: dict[str, set[str]] = defaultdict(set)
    broken: dict[str, str] = {}
    # every_visit: what brought no page is what is looked for. Pictures and scripts are links, too.
    crawl = gossamer.crawl(
        args.url,
        every_visit=True,
        max_pages=args.pages,
        contact=args.contact,
        allow_address=args.allow_address,
        gap=0.0 if args.allow_address else 1.0,
        media="any",
        settings={"scope.follow_kinds": ["image", "script", "resource", "media"]},
    )
    for page in crawl:
        for url in page.links.urls:
            standing_on[url].add(page.url)
        if page.outcome == "redirected":
            standing_on[page.location] |= standing_on[page.url] | {page.url}
        elif page.outcome == "failed":
            broken[page.url] = page.reason
    for url, reason in sorted(broken.items()):
        print(f"{reason}: {url}")
        for source in sorted(standing_on[url]):
            print(f"    on {source}")
    print(f"{crawl.summary.pages} pages, {len(broken)} broken links")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
