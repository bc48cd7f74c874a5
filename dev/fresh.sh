#!/usr/bin/env bash
# Runs the commands of the README on machines that have only PHP, Composer, make and git: each in a fresh Debian root,
# by root in a clone that other users cannot read (/root), by root in one that they can (/opt), by an ordinary user, and
# by a reader of the Quickstart.
#   dev/fresh.sh [RELEASE[:PERSON]...]     releases: bookworm trixie; persons: reader user opt root
# It tests the committed tree. Without root, or if the package source is unreachable, it prints that it skips the tests.
set -euo pipefail
umask 022

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export HEADROOM_FIXTURES=${HEADROOM_FIXTURES:-$(dirname "$ROOT")/shared}
PACKAGES=(ca-certificates php-cli composer make git)
PERSONS=(reader user opt root)
# shellcheck source=dev/roots.bash
. "$ROOT/dev/roots.bash"

# For the summary of `make proof`. An ordinary user may not be able to write to this checkout.
note() { printf ', %s' "$1" 2>/dev/null >"$ROOT/build/fresh.note" || true; }

rm -f "$ROOT/build/fresh.note" 2>/dev/null || true
if ! root_allowed; then
    printf 'SKIP fresh: %s.\n' "$ROOT_REASON"
    note "skipped: $ROOT_REASON"
    exit 0
fi
mkdir -p "$ROOT/build"

asked=("$@")
[[ ${#asked[@]} -gt 0 ]] || asked=(bookworm trixie)
runs=()
for one in "${asked[@]}"; do
    [[ $one =~ ^(bookworm|trixie)(:(reader|user|opt|root))?$ ]] || { echo "fresh: unknown: $one" >&2; exit 2; }
    if [[ $one == *:* ]]; then runs+=("$one"); else runs+=("${PERSONS[@]/#/$one:}"); fi
done

tree=$(mktemp -d "${TMPDIR:-/tmp}/headroom-fresh.XXXXXXXX")
# An ordinary user clones from it.
chmod 755 "$tree"
trap 'rm -rf "$tree"' EXIT
git clone -q --no-local "$ROOT" "$tree/headroom"
summary=()
failed=0
skipped=()

# Writes the output of the steps to a log. Returns EX_UNAVAILABLE and sets ROOT_REASON if the package source is
# unreachable.
attempt() {
    local release=${1%:*} person=${1#*:} log=$2
    root_archive "fresh-$release" "$release" apt "${PACKAGES[@]}" || return
    ROOT_REASON="the package source of Debian $release could not be reached in $ROOT_TRIES tries"
    "$ROOT/dev/in-root.sh" "$ROOT_ARCHIVE" "$tree" bash /source/headroom/dev/fresh/steps.sh "$person" 2>&1 |
        tee "$log" | grep --line-buffered -E '^(==|--|step )'
    return "${PIPESTATUS[0]}"
}

for run in "${runs[@]}"; do
    start=$SECONDS code=0 outcome=passed log=$ROOT/build/fresh-${run/:/-}.log
    printf '\n== %s\n' "$run"
    : >"$log"
    attempt "$run" "$log" || code=$?
    if ((code == EX_UNAVAILABLE)); then
        outcome="SKIPPED: $ROOT_REASON"
        skipped+=("$ROOT_REASON")
    elif ((code != 0)); then
        outcome="FAILED, see build/${log##*/}"
        failed=1
        tail -n 30 "$log"
    fi
    summary+=("$(printf '%-16s %4d s  %s' "$run" $((SECONDS - start)) "$outcome")")
done

((${#skipped[@]} == 0)) || note "${#skipped[@]} of ${#runs[@]} skipped: ${skipped[0]}"
printf '\n== summary of fresh machines, %s\n' "$(git -C "$ROOT" describe --always --dirty)"
printf '%s\n' "${summary[@]}"
exit "$failed"
