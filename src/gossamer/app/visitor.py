"""Single visits, as politely as a crawl makes them: robots.txt first, the gap kept, redirects followed step by step."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.app.policies import frontier_policy
from gossamer.app.wiring import crawl_policy, make_asking
from gossamer.core.explain.robots import IGNORED
from gossamer.core.http.content_coding import codings_of, decode
from gossamer.core.http.cookies import Cookie, cookies_after
from gossamer.core.http.exchange import Exchange, FetchRequest, Truncation
from gossamer.core.http.outcome import Redirected
from gossamer.core.http.request import ACCEPT_PAGES, ACCEPT_ROBOTS, PRODUCT
from gossamer.core.limits import REDIRECT_HOPS_MAX, ROBOTS_BYTES_MAX, ROBOTS_REDIRECTS_MAX
from gossamer.core.politeness.gap import gap_seconds
from gossamer.core.preference.site_files import site_preferences
from gossamer.core.robots.answer import RobotsAnswer, RobotsKind, RobotsState, robots_state
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.robots.verdict import ROBOTS_TARGET, RobotsVerdict, verdict_of
from gossamer.core.url.key import KEY_RULES_NEWEST, KeyRules, url_key
from gossamer.core.url.parse import authority_of, host_of, target_of
from gossamer.flow.asking import Asked
from gossamer.flow.reading import Reading, read

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.app.network import Network
    from gossamer.app.settings import Settings
    from gossamer.core.dns.answer import Answer
    from gossamer.ports.parser import Parser

REDIRECT_LOOP: Final = "redirect loop"
TOO_MANY_REDIRECTS: Final = f"more than {REDIRECT_HOPS_MAX} redirects"
_KEY_RULES: Final = KeyRules(KEY_RULES_NEWEST)


@dataclass(frozen=True, slots=True)
class Robots:
    """One authority's robots.txt, as read just now."""

    url: str
    state: RobotsState
    rules: RobotsRules | None
    status: int

    def verdict(self, url: str) -> RobotsVerdict:
        """What it says of a URL of its authority."""
        return verdict_of(self.state, self.rules, target_of(url))


@dataclass(slots=True)
class Step:
    """One URL of a redirect chain, and how far its visit came."""

    url: str
    robots: Robots | None = None
    """None where its host could not be asked."""
    verdict: RobotsVerdict | None = None
    problem: str = ""
    """Why nothing was asked for; empty otherwise."""
    exchange: Exchange | None = None
    reading: Reading | None = None

    @property
    def target(self) -> str:
        """Where it redirects; empty otherwise."""
        outcome = self.reading.outcome if self.reading is not None else None
        return outcome.target if isinstance(outcome, Redirected) else ""


@dataclass(slots=True)
class Contact:
    """What is known of a host: enough to keep its gap."""

    ended: float | None = None
    seconds: list[float] = field(default_factory=list[float])
    crawl_delay: float = 0.0


class Visitor:
    """Makes single visits, one after the other. `waiting` is told how long it waits for a gap, and for which host."""

    def __init__(
        self,
        settings: Settings,
        network: Network,
        parser: Parser,
        waiting: Callable[[str, float], None],
        withheld: Callable[[str], None] | None = None,
    ) -> None:
        self._network = network
        self._parser = parser
        self._waiting = waiting
        self._policy = crawl_policy(settings)
        self._frontier = frontier_policy(settings, network.guard)
        self._asking = make_asking(settings)
        self._asking.tell_withheld = lambda host: withheld(host) if withheld is not None else None
        self._robots: dict[str, Robots] = {}
        self._contacts: dict[str, Contact] = {}

    async def visit(self, url: str) -> list[Step]:
        """Visit a normalised URL and follow redirects; every step in order."""
        steps: list[Step] = []
        cookies: tuple[Cookie, ...] = ()
        tried: set[tuple[str, tuple[Cookie, ...]]] = set()
        while True:
            step = await self._step(url, cookies)
            steps.append(step)
            tried.add((url, cookies))
            if not step.target or step.exchange is None:
                return steps
            target = step.target
            # As in a crawl, cookies live only along a chain that stays on its key.
            same = url_key(target, _KEY_RULES) == url_key(url, _KEY_RULES)
            cookies = cookies_after(step.exchange.header_all("set-cookie"), cookies) if same else ()
            if (target, cookies) in tried or len(steps) > REDIRECT_HOPS_MAX:
                problem = REDIRECT_LOOP if (target, cookies) in tried else TOO_MANY_REDIRECTS
                return [*steps, Step(target, problem=problem)]
            url = target

    async def robots(self, authority: str) -> Robots:
        """The robots.txt of an authority ("https://example.org"), read once; redirects are followed."""
        known = self._robots.get(authority)
        if known is None:
            known = self._robots[authority] = await self._read_robots(authority)
        return known

    async def _step(self, url: str, cookies: tuple[Cookie, ...]) -> Step:
        step = Step(url)
        step.problem = await self._unreachable(url)
        if step.problem:
            return step
        step.robots = await self.robots(authority_of(url))
        step.verdict = step.robots.verdict(url)
        refused = site_preferences(step.robots.rules, None, target_of(url)).refusal(self._policy.purposes)
        if refused is not None and step.verdict.allowed:
            step.verdict = RobotsVerdict(allowed=False, line=f"{refused.purpose}: {refused.evidence}")
        if not step.verdict.allowed:
            return step
        exchange = await self._fetch(url, ACCEPT_PAGES, cookies)
        step.exchange = exchange
        step.reading = read(exchange, url, self._parser)
        if exchange.body is not None:
            exchange.body.close()
        return step

    async def _read_robots(self, authority: str) -> Robots:
        url = authority + ROBOTS_TARGET
        if self._frontier.rule_of(host_of(url)).robots_ignored:
            now = self._network.clock.now()
            return Robots(url, RobotsState(RobotsKind.ALLOW_ALL, now, now, reason=IGNORED), None, 0)
        answer = RobotsAnswer(too_many_redirects=True)
        for _ in range(ROBOTS_REDIRECTS_MAX + 1):
            exchange = await self._fetch(url, ACCEPT_ROBOTS)
            outcome = read(exchange, url, self._parser).outcome
            answer = _robots_answer(exchange)
            if exchange.body is not None:
                exchange.body.close()
            if not isinstance(outcome, Redirected):
                break
            url, answer = outcome.target, RobotsAnswer(too_many_redirects=True)
        state = robots_state(answer, None, self._network.clock.now())
        rules = RobotsRules.parse(state.body, PRODUCT) if state.kind is RobotsKind.RULES else None
        if rules is not None:
            contact = self._contact(host_of(authority + "/"))
            contact.crawl_delay = max(contact.crawl_delay, rules.crawl_delay)
        return Robots(url, state, rules, answer.status)

    async def _unreachable(self, url: str) -> str:
        """Why a URL's host has no address that may be asked; empty when it has one."""
        answer = await self.resolve(host_of(url))
        if answer.addresses:
            return ""
        reason = answer.failure.value if answer.failure is not None else "no address"
        return f"{reason} ({answer.detail})" if answer.detail else reason

    async def resolve(self, host: str) -> Answer:
        """The addresses of a host; of one that only its proxy resolves, the one that stands for it."""
        return self._asking.answer_for(host) or await self._network.resolver.resolve(host)

    async def _fetch(self, url: str, accept: str, cookies: tuple[Cookie, ...] = ()) -> Exchange:
        host = host_of(url)
        answer = await self.resolve(host)
        if not answer.addresses:
            now = self._network.clock.now()
            return Exchange(url=url, started=now, ended=now, failure=answer.failure, detail=answer.detail)
        await self._keep_gap(host, answer.addresses[0])
        private = self._network.guard.is_allowed(answer.addresses[0])
        asked = Asked(url, accept, self._network.clock.now(), private=private, cookies=cookies)
        request = FetchRequest(
            url=url,
            addresses=answer.addresses,
            headers=self._asking.fields(self._policy.user_agent, asked),
            limits=self._policy.limits,
            proxy=self._asking.request_of(host).proxy,
        )
        exchange = await self._network.fetcher.fetch(request)
        self._asking.learn(url, exchange)
        contact = self._contact(host)
        contact.ended = exchange.ended
        contact.seconds.append(exchange.ended - exchange.started)
        return exchange

    async def _keep_gap(self, host: str, address: str) -> None:
        contact = self._contact(host)
        if contact.ended is None:
            return
        policy = self._frontier.gap_at(address, host)
        gap = gap_seconds(policy, contact.seconds, contact.crawl_delay).seconds
        wait = contact.ended + gap - self._network.clock.now()
        if wait > 0:
            self._waiting(host, wait)
            await asyncio.sleep(wait)

    def _contact(self, host: str) -> Contact:
        return self._contacts.setdefault(host, Contact())


def _robots_answer(exchange: Exchange) -> RobotsAnswer:
    body = exchange.body.read() if exchange.body is not None else b""
    decoded = decode(body, codings_of(exchange.header_all("content-encoding")), max_bytes=ROBOTS_BYTES_MAX + 1)
    cut = exchange.truncated not in (None, Truncation.LENGTH)
    return RobotsAnswer(exchange.status, decoded.data, exchange.failure, cut=cut)
