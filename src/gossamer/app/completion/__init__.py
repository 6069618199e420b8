"""Shell completion, made from the command line's own parsers: what a command takes and what its flags want."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.app.completion.bash import bash_script
from gossamer.app.completion.fish import fish_script
from gossamer.app.completion.zsh import zsh_script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.app.completion.offers import Offers

SCRIPTS: Final[dict[str, Callable[[Sequence[Offers]], str]]] = {
    "bash": bash_script,
    "zsh": zsh_script,
    "fish": fish_script,
}
"""Shell -> what makes its script."""
