"""What the settings say of priority: the weights, the importance file, the plug-ins."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gossamer.app.errors import UserError
from gossamer.core.frontier.priority import PriorityPolicy
from gossamer.flow.scoring import Scoring

if TYPE_CHECKING:
    from gossamer.app.settings import Settings
    from gossamer.core.frontier.importance import Importance
    from gossamer.flow.shard_rules import ShardRules
    from gossamer.ports.plugin import Scorer

PLUGIN_HINT = 'for example plugins.scorers = ["mypackage.module:name"]; its folder belongs on PYTHONPATH'


def make_scoring(settings: Settings, rules: ShardRules) -> Scoring:
    """How all shards score. Raises UserError for a file or a plug-in that cannot be read."""
    return Scoring(
        priority_policy(settings),
        importance=read_file(settings, rules),
        scorers={name: load_scorer(name) for name in settings.plugins.scorers},
    )


def scoring_by_weights(settings: Settings) -> Scoring:
    """The same without what only a running crawl has read."""
    is_partial = settings.priority.importance is not None or bool(settings.plugins.scorers)
    return Scoring(priority_policy(settings), is_partial=is_partial)


def priority_policy(settings: Settings) -> PriorityPolicy:
    """The weights."""
    priority = settings.priority
    return PriorityPolicy(
        way=priority.way,
        group=priority.group,
        hints=priority.hints,
        shape=priority.shape,
        sites=priority.sites,
        importance=priority.importance_levels,
        shares={group.group: group.share for group in settings.seeds.groups},
    )


def read_file(settings: Settings, rules: ShardRules) -> Importance | None:
    """What the importance file says; None without one."""
    if settings.priority.importance is None:
        return None
    from gossamer.adapters.importance_file import ImportanceFileError, read_importance  # noqa: PLC0415 - Arrow

    path = Path(settings.priority.importance)
    try:
        return read_importance(path, rules.ids, rules.key_rules)
    except ImportanceFileError as error:
        raise UserError(f"priority.importance: {path} {error}", "docs/priority.md says what it holds") from error
    except OSError as error:
        raise UserError(f"priority.importance: {path} cannot be read: {error.strerror}") from error


def load_scorer(name: str) -> Scorer:
    """The plug-in of that name; a class is called for one. Raises UserError."""
    module, colon, attribute = name.partition(":")
    if not colon or not module or not attribute:
        raise UserError(f"plugins.scorers wants package.module:name, not {name!r}", PLUGIN_HINT)
    try:
        found: Any = getattr(importlib.import_module(module), attribute)
        scorer = found() if isinstance(found, type) else found
    except Exception as error:  # foreign code may raise anything
        raise UserError(f"plug-in {name} cannot be loaded: {type(error).__name__}: {error}", PLUGIN_HINT) from error
    if not callable(getattr(scorer, "score", None)):
        raise UserError(f"plug-in {name} has no method score", "docs/how-to/score-urls.md shows one")
    return cast("Scorer", scorer)
