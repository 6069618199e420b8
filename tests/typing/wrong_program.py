"""What type checkers must refuse: each line behind a mark would be an error without it. Never run."""

from __future__ import annotations

import gossamer

gossamer.crawl("https://example.org/", max_page=5)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
gossamer.crawl("https://example.org/", scope="country")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
gossamer.crawl(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
gossamer.resume("out", output="elsewhere")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
for page in gossamer.crawl("https://example.org/"):
    print(page.titel)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
