"""What a request to a host holds by the operator's word, and that no other host is told."""

from __future__ import annotations

import pytest

from gossamer.core.dns.answer import BEHIND_PROXY
from gossamer.core.http.cookie_jar import JarCookie
from gossamer.core.http.exchange import Exchange
from gossamer.core.http.host_request import HostRequest, Proxy, basic_credentials
from gossamer.flow.asking import Asked, Asking

NOW = 1_800_000_000.0
SECRET = ("Authorization", basic_credentials("me:geheim"))
OWN = HostRequest(
    fields=(("accept", "text/plain"), ("X-Team", "web")),
    secret_fields=(SECRET,),
    agent_suffix="probe",
    keeps_cookies=True,
    cookies=(JarCookie("start", "1"),),
)


def asking(request: HostRequest = OWN, *, keep_secrets: bool = False) -> Asking:
    return Asking({"own.example": request}, keep_secrets)


def fields(made: Asking, url: str, **more: object) -> dict[str, str]:
    return dict(made.fields("Gossamer/1", Asked(url, "text/html", NOW, **more)))  # type: ignore[arg-type]


def test_a_host_is_asked_in_its_own_way() -> None:
    found = fields(asking(), "https://own.example/")
    assert found["User-Agent"] == "Gossamer/1 probe"
    assert found["accept"] == "text/plain"
    assert "Accept" not in found, "a field of one's own takes the place of the usual one"
    assert found["X-Team"] == "web"
    assert found["Authorization"] == "Basic bWU6Z2VoZWlt"
    assert found["Cookie"] == "start=1"


@pytest.mark.parametrize("host", ["other.example", "sub.own.example", "example", "own.example.net"])
def test_no_other_host_is_told(host: str) -> None:
    made = asking()
    made.learn(f"https://{host}/", answer("b=2"))
    assert set(fields(made, f"https://{host}/")) == {"User-Agent", "Accept", "Accept-Encoding"}


@pytest.mark.parametrize(
    ("url", "mine", "private", "told"),
    [
        ("https://own.example/", False, False, True),
        ("http://own.example/", False, False, False),
        ("http://own.example/", True, False, True),
        ("http://own.example/", False, True, True),
    ],
)
def test_a_secret_goes_over_tls_or_stays_among_ones_own(url: str, mine: bool, private: bool, told: bool) -> None:
    withheld: list[str] = []
    made = asking(HostRequest(secret_fields=(SECRET,), mine=mine))
    made.tell_withheld = withheld.append
    for _ in range(3):
        assert ("Authorization" in fields(made, url, private=private)) == told
    assert withheld == ([] if told else ["own.example"]), "said once"


def answer(*cookies: str) -> Exchange:
    headers = tuple(("Set-Cookie", cookie) for cookie in cookies)
    return Exchange("https://own.example/", NOW, NOW, status=200, headers=headers)


def test_cookies_are_kept_and_sent_back_and_a_chain_brings_none_beside_them() -> None:
    made = asking()
    made.learn("https://own.example/", answer("a=1; Path=/", "b=2; Path=/"))
    assert fields(made, "https://own.example/x")["Cookie"] == "start=1; a=1; b=2"
    # A chain's are veiled where there is a jar, which has them itself.
    assert fields(made, "https://own.example/x", cookies=(("a", "veiled"),))["Cookie"] == "start=1; a=1; b=2"


def test_without_a_jar_nothing_is_kept() -> None:
    made = asking(HostRequest(agent_suffix="x"))
    made.learn("https://own.example/", answer("a=1; Path=/"))
    assert "Cookie" not in fields(made, "https://own.example/x")


HEAD = b"GET / HTTP/1.1\r\nAuthorization: Basic bWU6Z2VoZWlt\r\nX-Key: k\r\nCookie: a=1\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\n\r\n"


def test_what_is_archived() -> None:
    keyed = HostRequest(secret_fields=(("X-Key", "k"),))
    made = Asking({"own.example": keyed, "plain.example": HostRequest(agent_suffix="x")})
    stored = made.stored_request("own.example", HEAD)
    assert stored == b"GET / HTTP/1.1\r\nAuthorization: [blanked]\r\nX-Key: [blanked]\r\nCookie: [blanked]\r\n\r\n"
    assert made.stored_request("other.example", HEAD).count(b"[blanked]") == 2
    assert made.stored_answer("own.example", ANSWER) == b"HTTP/1.1 200 OK\r\nSet-Cookie: [blanked]\r\n\r\n"
    for host in ("plain.example", "other.example"):
        assert made.stored_answer(host, ANSWER) == ANSWER
    kept = Asking({"own.example": keyed}, keep_secrets=True)
    assert kept.stored_request("own.example", HEAD) == HEAD
    assert kept.stored_answer("own.example", ANSWER) == ANSWER


def test_a_name_that_its_proxy_resolves_is_not_looked_up() -> None:
    made = Asking(
        {
            "a.onion": HostRequest(proxy=Proxy("socks5h://127.0.0.1:9050", resolves=True)),
            "b.example": HostRequest(proxy=Proxy("socks5://127.0.0.1:9050")),
        }
    )
    found = made.answer_for("a.onion")
    assert found is not None
    assert found.addresses == (BEHIND_PROXY,)
    assert made.answer_for("b.example") is None
    assert made.answer_for("c.example") is None


def test_no_secret_is_shown() -> None:
    proxy = Proxy("http://127.0.0.1:1", login="me:geheim")
    shown = repr(asking()) + repr(OWN) + repr(proxy) + repr(HostRequest(proxy=proxy))
    assert "geheim" not in shown
    assert "bWU6" not in shown
