"""Rules of the house that no ordinary linter knows. Each module has `find(root) -> list[str]`: what breaks the rule.

A finding reads `path:line what is wrong: what to do`. tests/house holds the tree to them, and plants violations that
each must catch.
"""
