"""File name extensions that are no pages, for crawls that want HTML only.

A URL's extension promises nothing, so the table holds only those that practically never name a page: what is left
over costs a request that is closed after its headers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

HTML_MEDIA: Final = frozenset({"text/html", "application/xhtml+xml"})

_BY_KIND: Final = {
    "pictures": "apng avif bmp cr2 dng eps gif heic heif ico jfif jpe jpeg jpg jxl png psd svgz tif tiff webp",
    "sound and film": "3gp aac aif aiff avi flac flv m3u m3u8 m4a m4v mid midi mkv mov mp3 mp4 mpeg mpg oga ogg ogv "
    "opus ra ram wav weba webm wma wmv",
    "archives": "7z apk bz2 cab deb dmg ear gz gzip img ipa iso jar lz lz4 lzma msi pkg rar rpm tar tbz tbz2 tgz txz "
    "war whl xz z zip zst",
    "programs and data": "a bin class dat db dll dylib exe o obj pyc pyo so sqlite swf wasm",
    "fonts": "eot otf ttc ttf woff woff2",
    "documents": "azw azw3 doc docm docx dot dotx epub fb2 mobi odp ods odt pdf pot potx pps ppsx ppt pptx ps rtf xls "
    "xlsm xlsx xlt xltx",
    "style sheets": "css",
}

NO_PAGE: Final[frozenset[str]] = frozenset(name for names in _BY_KIND.values() for name in names.split())


def refused_extensions(wanted_media: frozenset[str] | None, more: Iterable[str] = ()) -> frozenset[str]:
    """The extensions to refuse: `more`, and the table where nothing but HTML is wanted (None wants anything)."""
    html_only = wanted_media is not None and wanted_media <= HTML_MEDIA
    return frozenset(more) | NO_PAGE if html_only else frozenset(more)


def extension_of(url: str) -> str:
    """The extension of a normalised URL's file name in lower case, without dot; empty without one.

    A name with a colon has none: it is a wiki's page about a file (`/wiki/File:Map.png`).
    """
    end = url.find("?")
    path = url if end < 0 else url[:end]
    slash = path.rindex("/")
    dot = path.rfind(".", slash)
    if dot < 0 or path.find(":", slash) >= 0:
        return ""
    return path[dot + 1 :].lower()
