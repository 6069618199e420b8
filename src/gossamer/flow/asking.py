"""What is sent to a host by the operator's word, and what of it must not be kept: log-ins, cookies, proxies.

A host's own fields are looked up by the host of the very URL that is asked for, once for each request. A redirect, a
robots.txt fetched for somebody else and a subdomain are other hosts, so nothing meant for one can reach another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gossamer.core.dns.answer import BEHIND_PROXY, Answer
from gossamer.core.http.blanking import ANSWER_SECRETS, REQUEST_SECRETS, blanked
from gossamer.core.http.cookie_jar import FOREVER, CookieJar
from gossamer.core.http.cookies import Cookie
from gossamer.core.http.exchange import Exchange
from gossamer.core.http.host_request import NO_REQUESTS, USUAL, HostRequest, with_fields
from gossamer.core.http.request import Validators, request_fields
from gossamer.core.url.parse import host_of

Fields = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Asked:
    """One request to be made, as the crawl loop sees it."""

    url: str
    accept: str
    now: float
    private: bool = False
    """The address is one that the operator allowed: secrets may go there without TLS."""
    validators: Validators | None = None
    cookies: tuple[Cookie, ...] = ()
    """Of a chain of redirects, for a host without a jar: a jar holds them itself."""


@dataclass(slots=True)
class Asking:
    """What hosts are sent beside the usual. `requests` is fixed for a run; jars fill while it lasts."""

    requests: Mapping[str, HostRequest] = field(default_factory=lambda: NO_REQUESTS)
    keep_secrets: bool = False
    """Archive secrets as they were sent."""
    tell_withheld: Callable[[str], None] = field(default=lambda _: None)
    """Called once with each host that was not sent its secret, for want of TLS."""
    _withheld: set[str] = field(default_factory=set[str])
    _jars: dict[str, CookieJar] = field(default_factory=dict[str, CookieJar], repr=False)

    def request_of(self, host: str) -> HostRequest:
        """What is special about requests to a host."""
        return self.requests.get(host, USUAL)

    def fields(self, agent: str, asked: Asked) -> Fields:
        """The fields of one request, in the order they are sent."""
        host = host_of(asked.url)
        request = self.request_of(host)
        usual = request_fields(
            f"{agent} {request.agent_suffix}" if request.agent_suffix else agent,
            accept=asked.accept,
            validators=asked.validators,
            cookies=self._cookies(host, request, asked),
        )
        if request is USUAL:
            return usual
        if request.secret_fields and not self._is_safe(request, asked):
            self._withhold(host)
            return with_fields(usual, request.fields)
        return with_fields(usual, request.fields + request.secret_fields)

    def learn(self, url: str, exchange: Exchange) -> None:
        """Keep the cookies that the answer to `url` set, if its host is one whose cookies are kept."""
        host = host_of(url)
        request = self.request_of(host)
        if request.keeps_cookies and exchange.headers:
            self._jar(host, request).learn(url, exchange.header_all("set-cookie"), exchange.ended)

    def stored_request(self, host: str, head: bytes) -> bytes:
        """A request head as it is archived."""
        if self.keep_secrets:
            return head
        own = self.request_of(host).secret_fields
        return blanked(head, (*REQUEST_SECRETS, *(name for name, _ in own)) if own else REQUEST_SECRETS)

    def stored_answer(self, host: str, head: bytes) -> bytes:
        """An answer's head as it is archived."""
        if self.keep_secrets or not self.request_of(host).has_session:
            return head
        return blanked(head, ANSWER_SECRETS)

    def answer_for(self, host: str) -> Answer | None:
        """The answer to a look-up of a name that only the proxy of its host resolves; None for any other name."""
        proxy = self.request_of(host).proxy
        return Answer((BEHIND_PROXY,), FOREVER) if proxy is not None and proxy.resolves else None

    def _withhold(self, host: str) -> None:
        if host not in self._withheld:
            self._withheld.add(host)
            self.tell_withheld(host)

    @staticmethod
    def _is_safe(request: HostRequest, asked: Asked) -> bool:
        """Whether nobody on the way can read a secret, or whoever can is the operator's own."""
        return asked.url.startswith("https:") or request.mine or asked.private

    def _cookies(self, host: str, request: HostRequest, asked: Asked) -> tuple[Cookie, ...]:
        if not request.keeps_cookies:
            return asked.cookies
        return self._jar(host, request).cookies_for(asked.url, asked.now)

    def _jar(self, host: str, request: HostRequest) -> CookieJar:
        jar = self._jars.get(host)
        if jar is None:
            jar = self._jars[host] = CookieJar(request.cookies)
        return jar
