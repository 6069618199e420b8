"""What a worker answers its supervisor: questions about its own shards, and orders that it puts in force."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gossamer.app.control import answer_of
from gossamer.app.explaining import answer_explain, answer_forget
from gossamer.app.host_books import QUERIES, HostBooks, books_of
from gossamer.app.in_force import LiveCrawl
from gossamer.app.operations import Operated
from gossamer.app.orders import read_orders
from gossamer.app.seeds import Seed
from gossamer.app.supervisor import messages
from gossamer.app.supervisor.messages import ADD, IN_FORCE, RELEASE, UNKNOWN
from gossamer.app.suspects import answer_suspects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gossamer.app.control import Answering

Message = dict[str, Any]


@dataclass(slots=True)
class WorkerAnswers:
    """One worker's answers. `send` carries them to the supervisor."""

    live: LiveCrawl
    operated: Operated
    send: Callable[[messages.FromWorker], None]

    def heard(self, ask: messages.Ask) -> None:
        """Answer a request."""
        answer = answer_of(ask.request, self._table())
        assert isinstance(answer, dict), "a worker answers at once"
        self.send(messages.Answered(ask.number, answer))

    def _table(self) -> Mapping[str, Answering]:
        worker, folder = self.live.worker, self.operated.folder
        return {
            "explain": lambda request: answer_explain(worker, request, books_of(self.operated, worker).named),
            "suspects": lambda request: answer_suspects(worker, request),
            "forget": lambda request: answer_forget(worker, folder, request, noted=True),
            **{name: partial(self._query, query) for name, query in QUERIES.items()},
            IN_FORCE: self._put_in_force,
            ADD: lambda request: {"refused": self.live.add([Seed(*each) for each in request["seeds"]])},
            UNKNOWN: lambda request: {"unknown": self.live.unknown(request["hosts"])},
            RELEASE: self._release,
        }

    def _query(self, query: Callable[[HostBooks, Message], Message], request: Message) -> Message:
        return query(books_of(self.operated, self.live.worker), request)

    def _put_in_force(self, request: Message) -> Message:
        """The folder has what is in force, the end of the run's time apart."""
        self.live.worker.budget.deadline = request["deadline"]
        folder = self.operated.folder
        self.operated.settings = folder.read_settings()
        self.live.put_in_force(self.operated.settings, read_orders(folder))
        return {}

    def _release(self, request: Message) -> Message:  # noqa: ARG002 - an answer takes a request
        self.live.release_freed()
        return {}
