"""The how-to page about settings of one host: its file is one that a crawl takes, and names every setting."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gossamer.app.host_wiring import host_requests, host_rules
from gossamer.app.settings import Given, check, load
from gossamer.app.settings.host_settings import HOST_TRAITS
from tests.docs.documents import DOCS

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PAGE = DOCS / "how-to" / "hosts-settings.md"
TOML = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VARIABLE = re.compile(r"\b([A-Z]+_[A-Z]+)=")


def test_the_example_is_a_settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (example,) = TOML.findall(text)
    for name in VARIABLE.findall(text):
        monkeypatch.setenv(name, "user:secret")
    (tmp_path / "hosts.toml").write_text(example, encoding="utf-8")
    settings = load(Given(config=tmp_path / "hosts.toml"))
    check(settings)
    assert set(host_requests(settings)) == set(settings.hosts)
    assert host_rules(settings)["www.mine.example"].connections == 4
    used = {key.rpartition(".")[2] for key in settings.values if key.startswith("hosts.")}
    assert used == set(HOST_TRAITS)
