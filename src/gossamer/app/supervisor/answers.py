"""What the control socket of a crawl on several workers answers: asked of the worker that knows, or of all of them."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from gossamer.app.errors import UserError
from gossamer.app.explaining import normalised, note_forgotten
from gossamer.app.numbers import caps_of, numbers_of, progress_of
from gossamer.app.operations import OPERATIONS, Operated
from gossamer.app.orders import host_name
from gossamer.app.supervisor.messages import ADD, IN_FORCE, RELEASE, UNKNOWN
from gossamer.app.watching import log_rules
from gossamer.core.url.parse import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gossamer.adapters.facts_jsonl import JsonlFacts
    from gossamer.app.control import LaterAnswering
    from gossamer.app.folder import CrawlFolder
    from gossamer.app.numbers import Caps
    from gossamer.app.operations import Operation
    from gossamer.app.orders import Orders
    from gossamer.app.progress import Progress
    from gossamer.app.seeds import Seed
    from gossamer.app.settings import Settings
    from gossamer.app.supervisor.fellow import Fellow
    from gossamer.app.supervisor.supervising import Supervisor
    from gossamer.core.facts import Fact
    from gossamer.flow.shard_rules import ShardRules

Message = dict[str, Any]


@dataclass(slots=True)
class DistantCrawl:
    """A crawl within its operator's reach that runs in workers (see `Live`): what it is told, all of them are told.

    Each order puts the requests that carry it to the workers into `requests`, to be sent once the order is kept.
    """

    supervisor: Supervisor
    settings: Settings
    log: JsonlFacts
    tell: Callable[[Fact], None]
    started: float = field(default_factory=time.time)
    """When all workers had opened their parts; before that, when this was made."""
    caps: Caps = field(init=False)
    requests: list[Message] = field(default_factory=list[Message])

    def __post_init__(self) -> None:
        self.caps = caps_of(self.settings, self.started)

    def begin(self) -> None:
        """The time of the run counts from now on."""
        self.started = time.time()
        self.caps = caps_of(self.settings, self.started)
        self.supervisor.deadline = self.caps.deadline

    def put_in_force(self, settings: Settings, orders: Orders) -> None:  # noqa: ARG002 - workers read them in the folder
        """See `Live`."""
        self.settings, self.caps = settings, caps_of(settings, self.started)
        self.log.rules = log_rules(settings)
        self.supervisor.adopt(self.caps)
        self.requests.append({"ask": IN_FORCE, "deadline": self.caps.deadline})

    def note(self, fact: Fact) -> None:
        """See `Live`."""
        self.tell(fact)

    def add(self, seeds: Sequence[Seed]) -> dict[str, str]:
        """See `Live`; what is refused, the workers say."""
        self.requests.append({"ask": ADD, "seeds": [[seed.url, seed.group] for seed in seeds]})
        return {}

    def unknown(self, hosts: Sequence[str]) -> list[str]:
        """See `Live`; the workers say."""
        self.requests.append({"ask": UNKNOWN, "hosts": list(hosts)})
        return []

    def release_freed(self) -> None:
        """See `Live`."""
        self.requests.append({"ask": RELEASE})

    def stop(self) -> None:
        """See `Live`."""
        self.supervisor.stop()


@dataclass(slots=True)
class Answers:
    """The table for the control socket."""

    supervisor: Supervisor
    operated: Operated
    live: DistantCrawl
    rules: ShardRules
    now: Callable[[], float]

    @property
    def folder(self) -> CrawlFolder:
        """The crawl's."""
        return self.operated.folder

    def progress(self) -> Progress:
        """The snapshot of this moment."""
        return progress_of(self.supervisor.summed(), self.live.started, self.live.caps, self.now())

    def table(self) -> Mapping[str, LaterAnswering]:
        """Request -> who answers it."""
        return {
            "status": lambda _: self.numbers(),
            "explain": self._of_url,
            "forget": self._forget,
            "host": self._of_host,
            "suspects": self._of_shard,
            "hosts": self._of_shard,
            "journals": self._journals,
            **{name: partial(self._order, operation) for name, operation in OPERATIONS.items()},
        }

    def numbers(self) -> Message:
        """What `status` shows."""
        summed, shown = self.supervisor.summed(), self.progress().as_dict()
        return {"process": os.getpid(), "paused": list(summed.paused), **shown, **numbers_of(summed)}

    # --- questions -----------------------------------------------------------------------------------------------

    def _owner(self, host: str) -> Fellow:
        return self.supervisor.owner_of(self.rules.shard_of(host))

    async def _of_url(self, request: Message) -> Message:
        return await _passed_on(self._owner(host_of(normalised(str(request.get("url", ""))))), request)

    async def _of_host(self, request: Message) -> Message:
        return await _passed_on(self._owner(host_name(str(request.get("host", "")))), request)

    async def _of_shard(self, request: Message) -> Message:
        shard = request.get("shard", 0)
        if not isinstance(shard, int) or not 0 <= shard < self.rules.shards:
            raise UserError("shard is a number of a shard")
        return await _passed_on(self.supervisor.owner_of(shard), request)

    async def _forget(self, request: Message) -> Message:
        self.supervisor.disturb()
        answer = await self._of_url(request)
        if answer.get("changed"):
            note_forgotten(self.folder, str(answer["url"]), self.now())
        self.supervisor.consider()
        return answer

    async def _journals(self, request: Message) -> Message:
        """A worker knows the marks of what was there at its start, and of its own files since: the longest counts."""
        lengths: dict[str, int] = {}
        for answer in await self._all(request):
            for path, length in answer["journals"]:
                lengths[path] = max(length, lengths.get(path, 0))
        return {"journals": sorted([path, length] for path, length in lengths.items())}

    async def _all(self, request: Message) -> list[Message]:
        return await asyncio.gather(*(_passed_on(fellow, request) for fellow in self.supervisor.fellows))

    # --- orders --------------------------------------------------------------------------------------------------

    async def _order(self, operation: Operation, request: Message) -> Message:
        """Keep an order, then have all workers put it in force; one that is being started finds it in the folder."""
        self.supervisor.disturb()
        self.live.requests.clear()
        try:
            answer = operation(self.operated, request)
        except OSError as error:
            raise UserError(f"it could not be kept: {error.strerror or error}") from error
        told, self.live.requests = self.live.requests, []
        for passed in told:
            found = await asyncio.gather(*(self._tried(fellow, passed) for fellow in self.supervisor.fellows))
            for part in found:
                _merge(answer, part)
        self.supervisor.consider()
        return answer

    @staticmethod
    async def _tried(fellow: Fellow, request: Message) -> Message:
        try:
            return await _passed_on(fellow, request)
        except UserError:
            return {}


def _merge(answer: Message, part: Message) -> None:
    """Add what one worker said to the answer of an order."""
    if "unknown" in part:
        answer["unknown"] = [*answer.get("unknown", []), *part["unknown"]]
    refused = part.get("refused", {})
    if refused:
        answer["refused"] = {**answer.get("refused", {}), **refused}
        answer["added"] = [url for url in answer.get("added", []) if url not in refused]


async def _passed_on(fellow: Fellow, request: Message) -> Message:
    """A worker's answer. Raises UserError with what it refused with."""
    answer = await fellow.ask(request)
    if "error" in answer:
        raise UserError(str(answer["error"]))
    return answer
