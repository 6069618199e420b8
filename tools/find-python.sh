# Sourced by ./gossamer and ./dev: `find_python` prints a Python that can make the environment, or says what to do.

# 0: fits; 3: other version; 4: no venv or ensurepip; anything else: not a Python that runs.
probe_python() {
    "$1" -c '
import sys
if not (3, 11) <= sys.version_info[:2] <= (3, 14):
    print("%d.%d" % sys.version_info[:2])
    sys.exit(3)
try:
    import ensurepip, venv
except ImportError:
    print("%d.%d" % sys.version_info[:2])
    sys.exit(4)
' 2>/dev/null
}

find_python() {
    other='' without_venv=''
    if [ -n "${GOSSAMER_PYTHON:-}" ]; then
        set -- "$GOSSAMER_PYTHON"
    else
        set -- python3 python3.14 python3.13 python3.12 python3.11
    fi
    for name in "$@"; do
        command -v "$name" >/dev/null 2>&1 || continue
        status=0
        version=$(probe_python "$name") || status=$?
        case $status in
            0) command -v "$name"; return 0 ;;
            3) other=${other:-$version} ;;
            4) without_venv=${without_venv:-$version} ;;
        esac
    done
    if [ -n "$without_venv" ]; then
        echo "gossamer: Python $without_venv is here but cannot make environments: install its venv module" \
            "(Debian, Ubuntu: apt install python3-venv) and run this again" >&2
    elif [ -n "$other" ]; then
        echo "gossamer: needs Python 3.11 to 3.14, found only $other: install one (or name it in GOSSAMER_PYTHON)" \
            "and run this again" >&2
    else
        echo "gossamer: needs Python 3.11 to 3.14, found none: install one (Debian, Ubuntu: apt install python3" \
            "python3-venv; or name it in GOSSAMER_PYTHON) and run this again" >&2
    fi
    return 2
}
