"""What a person can put right: said in one line, with a hint, and no traceback."""

from __future__ import annotations

from gossamer.app.exit_codes import Exit


class UserError(Exception):
    """Ends a command with `message` on standard error, `hint` below it, and `exit_code`."""

    def __init__(self, message: str, hint: str = "", exit_code: Exit = Exit.BAD_INPUT) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code
