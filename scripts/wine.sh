#!/bin/sh
# Runs a Windows program under wine, with wine's files in build/wine. Usage: wine.sh PROGRAM.exe [WORD...]
set -eu
WINEPREFIX=$(cd "$(dirname "$0")/.." && pwd)/build/wine
export WINEPREFIX WINEDEBUG=-all DISPLAY=
mkdir -p "$WINEPREFIX"
# In another locale wine cannot name a file outside ASCII.
export LC_ALL=C.UTF-8
# Debian's wine64 alone has no command on PATH.
wine=$(command -v wine64 || command -v wine || echo /usr/lib/wine/wine64)
exec "$wine" "$@"
