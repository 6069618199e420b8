#!/bin/sh
# Writes the lock files anew: for Python 3.11 to 3.14 on Linux and macOS, with hashes, without a registry's address.
# Needs uv. `./requirements/lock.sh --upgrade` takes new releases; without it, only what pyproject.toml asks for changes.
set -eu
cd "$(dirname -- "$0")/.."
lock() {
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header "$@"
}
lock "$@" pyproject.toml --output-file requirements/run.lock
lock "$@" pyproject.toml --group dev --constraint requirements/run.lock --output-file requirements/dev.lock
lock "$@" requirements/pywb.in --output-file requirements/pywb.lock
