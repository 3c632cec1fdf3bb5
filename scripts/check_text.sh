#!/bin/sh
# Finds text that does not belong in the tree: unfinished marks, paths of a machine, motion capture, large files that
# are not trained networks. Usage: check_text.sh [ROOT].
set -eu
cd "${1:-$(dirname "$0")/..}"
status=0
files() { if [ -e .git ]; then git ls-files; else find . -type f | sed 's|^\./||'; fi; }
marks='(TO''DO|FIX''ME|XX''X|not implemen''ted)'
found=$(files | grep -E '\.(c|h|js|mjs|md|sh|cmake|json)$' | grep -v package-lock.json | xargs -r grep -nE "$marks" || true)
[ -z "$found" ] || { printf 'unfinished:\n%s\n' "$found"; status=1; }
found=$(files | grep -v package-lock.json | xargs -r grep -nIE '(/ho''me/|/ro''ot/|/wo''rk/)' || true)
[ -z "$found" ] || { printf 'machine path:\n%s\n' "$found"; status=1; }
for file in $(files | grep -Ev '^models/.*\.amnet$|package-lock.json|\.(png|gif)$'); do
    [ -f "$file" ] || continue
    size=$(wc -c <"$file")
    [ "$size" -le 262144 ] || { echo "large: $file ($size bytes)"; status=1; }
done
exit $status
