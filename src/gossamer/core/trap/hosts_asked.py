"""Hosts below a site that nobody has seen anything of: few of them are asked at once."""

from __future__ import annotations

from typing import Final

from gossamer.core.limits import TEMPLATES_CACHED_MAX, TRAP_HOSTS_WATCHED_MAX, TRAP_HOSTS_WATCHED_SECONDS


class HostsAsked:
    """Which hosts of which sites are being asked. Of a site at most TRAP_HOSTS_WATCHED_MAX, and whoever has not
    answered after TRAP_HOSTS_WATCHED_SECONDS is counted no more.
    """

    def __init__(self) -> None:
        self._asked: Final[dict[str, dict[str, float]]] = {}
        """Site -> its hosts, and since when; the sites asked last at the end, and so with the hosts of each."""

    def __len__(self) -> int:
        return len(self._asked)

    def ask(self, site: str, host: str, now: float) -> bool:
        """Whether a host may be asked, which then it is; again and again, for one that is asked already."""
        self._forget(now - TRAP_HOSTS_WATCHED_SECONDS)
        hosts = self._asked.get(site, {})
        for each in [each for each, since in hosts.items() if now - since > TRAP_HOSTS_WATCHED_SECONDS]:
            del hosts[each]
        if host not in hosts and len(hosts) >= TRAP_HOSTS_WATCHED_MAX:
            return False
        hosts.pop(host, None)
        hosts[host] = now
        self._asked.pop(site, None)
        self._asked[site] = hosts
        return True

    def answered(self, site: str, host: str) -> None:
        """A host has brought something, or nothing: it is counted no more."""
        hosts = self._asked.get(site)
        if hosts is not None and hosts.pop(host, None) is not None and not hosts:
            del self._asked[site]

    def _forget(self, before: float) -> None:
        """Sites none of whose hosts was asked lately. Each is looked at once, when its time has come."""
        while self._asked:
            site = next(iter(self._asked))
            if len(self._asked) < TEMPLATES_CACHED_MAX and next(reversed(self._asked[site].values())) >= before:
                return
            del self._asked[site]
