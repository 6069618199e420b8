"""A first crawl: every page of a site, with its title and what it links to.

python examples/first_crawl.py https://docs.example.org/ --contact you@example.org
"""

from __future__ import annotations

import argparse

import gossamer


def main() -> None:
    """Crawl and print."""
    parser = argparse.ArgumentParser(description="print the pages of a site")
    parser.add_argument("url")
    parser.add_argument("--pages", type=int, default=50, help="pages at most")
    parser.add_argument("--contact", help="mail or web address told to the site")
    parser.add_argument("--allow-address", action="append", default=[], help="address range of your own to allow")
    args = parser.parse_args()

    # Without output=DIR the crawl lives in a temporary folder, which is gone at the end.
    crawl = gossamer.crawl(
        args.url, max_pages=args.pages, contact=args.contact, allow_address=args.allow_address, gap=_gap(args)
    )
    for page in crawl:
        print(f"{page.status} {page.url}  {page.title!r}, {len(page.links)} links, {len(page.text)} characters")
    print(f"{crawl.summary.pages} pages, {crawl.summary.bytes} bytes: {crawl.summary.end_state}")


def _gap(args: argparse.Namespace) -> float:
    """Strangers are asked once a second at most, hosts of your own as fast as they answer."""
    return 0.0 if args.allow_address else 1.0


if __name__ == "__main__":
    main()
