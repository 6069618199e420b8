"""Standing orders of the operator: what is paused, what is blocked, and since when. They outlive every run.

They lie in state/orders.json, and are written by whoever holds the folder's lock: the running crawl, or a command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit
from gossamer.app.whole_file import write_whole
from gossamer.core.scope.block_list import BlockList, read_block_list
from gossamer.core.url.parse import parse

if TYPE_CHECKING:
    from gossamer.app.folder import CrawlFolder

OPERATOR_PAUSE: Final = "operator"
"""Why a worker leases nothing while the crawl is paused by an order."""
HOST_TEXT: Final = re.compile(r"[^\s/?#@*\\%\x00-\x20]+")
ANY_BELOW: Final = "*."
"""Begins an entry of the block list that stands for a domain and every host below it."""


class Orders(msgspec.Struct):
    """All standing orders. Moments in seconds since the epoch."""

    paused_at: float = 0.0
    """Since when the whole crawl is paused; 0 when it is not."""
    paused: dict[str, float] = {}
    """Host -> since when it is paused."""
    blocked: dict[str, float] = {}
    """Host, or "*." and a domain -> since when it is blocked."""
    traps: dict[str, str] = {}
    """Suspect, as `gossamer report DIR traps` names it -> what was said of it, a `Word`."""
    freed: dict[str, float] = {}
    """Suspect -> when it was freed, as long as the URLs that it refused are not all queued again."""

    @property
    def block_list(self) -> BlockList:
        """The blocked hosts and domains."""
        return read_block_list("\n".join(self.blocked))[0]


def read_orders(folder: CrawlFolder) -> Orders:
    """The orders of a crawl folder; none given so far without the file. Raises UserError for a damaged one."""
    try:
        return msgspec.json.decode(folder.orders.read_bytes(), type=Orders)
    except FileNotFoundError:
        return Orders()
    except (OSError, msgspec.DecodeError) as error:
        hint = "restore it from a copy, or remove it and give the orders anew"
        raise UserError(f"{folder.orders} is damaged: {error}", hint, Exit.FOLDER) from error


def write_orders(folder: CrawlFolder, orders: Orders) -> None:
    """Replace the file, whole. Raises OSError."""
    write_whole(folder.orders, msgspec.json.format(msgspec.json.encode(orders)) + b"\n")


def host_name(text: str) -> str:
    """A host as the crawl spells it. Raises UserError for what is none."""
    name = text.strip("[]") if ":" in text else text
    url = parse(f"http://[{name}]/" if ":" in name else f"http://{name}/") if HOST_TEXT.fullmatch(name) else None
    if url is not None:
        return url.host
    found = parse(text if "://" in text else f"http://{text}")
    hint = f"did you mean {found.host}?" if found and "*" not in found.host else "for example www.example.org"
    raise UserError(f"{text!r} is not a host", hint)


def block_entry(text: str) -> str:
    """An entry of the block list, a host or "*." and a domain. Raises UserError for what is neither."""
    below = ANY_BELOW if text.startswith(ANY_BELOW) else ""
    return below + host_name(text.removeprefix(ANY_BELOW))
