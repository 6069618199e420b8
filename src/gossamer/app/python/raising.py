"""From the errors of the command line to those that programs catch."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from gossamer import errors
from gossamer.app.disk_trouble import disk_trouble
from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit

if TYPE_CHECKING:
    from collections.abc import Generator

ERRORS: Final[dict[Exit, type[errors.GossamerError]]] = {
    Exit.BAD_INPUT: errors.SettingsError,
    Exit.DISK: errors.DiskError,
    Exit.FOLDER: errors.FolderError,
}
"""Exit code -> what a program gets."""


@contextmanager
def typed_errors(bad_input: type[errors.GossamerError] = errors.SettingsError) -> Generator[None]:
    """Inside, errors that people can put right are raised as GossamerErrors; `bad_input` for those with exit code 2."""
    try:
        yield
    except Exception as error:
        known = error if isinstance(error, UserError) else disk_trouble(error)
        if known is None:
            raise
        kind = bad_input if known.exit_code is Exit.BAD_INPUT else ERRORS.get(known.exit_code, errors.GossamerError)
        raise kind(known.message, known.hint) from error
