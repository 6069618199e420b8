"""What becomes of a leased URL, from what its visit brought; the rules themselves stand in `core/frontier/fate.py`."""

from __future__ import annotations

from gossamer.core.frontier.fate import Fate, FateKind, fate_of_failure, is_counted
from gossamer.core.http.cookies import Cookie, cookies_after
from gossamer.core.http.failure_policy import exchange_policy
from gossamer.core.http.outcome import Failed, Fetched, Gone, NotModified, Redirected, Refused
from gossamer.core.limits import REDIRECT_HOPS_MAX
from gossamer.core.scope.reasons import Reason
from gossamer.core.url.key import url_key
from gossamer.core.warc.digest import sha256_hex
from gossamer.flow.finished import Finished
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker


def fate_of(worker: Worker, shard: Shard, finished: Finished) -> Fate:
    """The fate of a page's URL. Counts the try, and takes a redirect that stays on its key into the record."""
    match finished.reading.outcome:
        case Fetched() | NotModified():
            return Fate(FateKind.DONE, finished.withheld)
        case Gone() as gone:
            return Fate(FateKind.GONE, gone.reason)
        case Refused(reason):
            return Fate(FateKind.REFUSED, reason)
        case Redirected(_, target):
            return _redirected(worker, shard, finished, target)
        case Failed(reason):
            return _failed(worker, shard, finished, reason)


def _failed(worker: Worker, shard: Shard, finished: Finished, reason: str) -> Fate:
    record, host = finished.record, shard.frontier.hosts[finished.lease.host_id].state
    policy = exchange_policy(finished.exchange)
    if policy is None or not policy.retry:
        return Fate(FateKind.FAILED, reason)
    fate = fate_of_failure(
        blame=policy.blame,
        reason=reason,
        host=host,
        record=record,
        ended=finished.exchange.ended,
        retry_first_seconds=worker.policy.retry_first_seconds,
    )
    record.tries += is_counted(policy.blame, host, record)
    return fate


def _redirected(worker: Worker, shard: Shard, finished: Finished, target: str) -> Fate:
    """A redirect to the same key is leased again; one tried before with the same cookies is a loop."""
    record, rules = finished.record, shard.rules.key_rules
    if url_key(target, rules) != url_key(record.url, rules):
        return Fate(FateKind.DONE)
    cookies = cookies_after(finished.exchange.header_all("set-cookie"), tuple(record.cookies))
    if worker.asking.request_of(finished.lease.host).keeps_cookies:
        # The jar sends them. The record, which lies on a disk, only has to tell one from another.
        cookies = tuple(each if each in record.cookies else _veiled(each) for each in cookies)
    tried = [*record.tried, _step(record.url, tuple(record.cookies))]
    if _step(target, cookies) in tried or len(tried) > REDIRECT_HOPS_MAX:
        return Fate(FateKind.FAILED, Reason.REDIRECT_LOOP)
    record.tried, record.url, record.cookies = tried, target, list(cookies)
    return Fate(FateKind.AGAIN, due=finished.exchange.ended)


def _veiled(cookie: Cookie) -> Cookie:
    return cookie[0], sha256_hex(cookie[1].encode("latin-1", "replace"))


def _step(url: str, cookies: tuple[Cookie, ...]) -> str:
    """One step of a chain, as it is remembered in the record."""
    return "\n".join([url, *(f"{name}={value}" for name, value in cookies)])
