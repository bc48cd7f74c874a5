#!/usr/bin/env bash
# The README's own commands on machines that have nothing but PHP, Composer, make and git: each in a fresh Debian root, by root in
# a clone that others may not read (/root) and in one that they may (/opt), and by an ordinary user.
#   tools/fresh.sh [RELEASE[:PERSON]...]     releases: bookworm trixie; persons: user opt root
# The committed tree is what is tested. Without root, or where the package source cannot be reached, it is skipped by name.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export HEADROOM_FIXTURES=${HEADROOM_FIXTURES:-$(dirname "$ROOT")/shared}
PACKAGES=(ca-certificates php-cli composer make git)
PERSONS=(user opt root)
# shellcheck source=tools/roots.bash
. "$ROOT/tools/roots.bash"

skip() { printf 'SKIP fresh: %s\n' "$*"; exit 0; }

[[ $EUID -eq 0 ]] || skip 'only root can make and enter a Debian root.'
unshare --mount --pid --fork true 2>/dev/null || skip 'this root may not have mounts and processes of its own (unshare).'
[[ -z $(roots_missing) ]] || skip "not installed: $(roots_missing | paste -sd ' '). Run: apt-get install $(roots_missing | paste -sd ' ')"

asked=("$@")
[[ ${#asked[@]} -gt 0 ]] || asked=(bookworm trixie)
runs=()
for one in "${asked[@]}"; do
    [[ $one =~ ^(bookworm|trixie)(:(user|opt|root))?$ ]] || { echo "fresh: unknown: $one" >&2; exit 2; }
    if [[ $one == *:* ]]; then runs+=("$one"); else runs+=("${PERSONS[@]/#/$one:}"); fi
done

tree=$(mktemp -d "${TMPDIR:-/tmp}/headroom-fresh.XXXXXXXX")
trap 'rm -rf "$tree"' EXIT
git clone -q --no-local "$ROOT" "$tree/headroom"
mkdir -p "$ROOT/build"
summary=()
failed=0

for run in "${runs[@]}"; do
    start=$SECONDS
    log=$ROOT/build/fresh-${run/:/-}.log
    printf '\n== %s\n' "$run"
    if ! root_archive "fresh-${run%:*}" "${run%:*}" apt "${PACKAGES[@]}"; then
        outcome="SKIPPED: $ROOT_REASON"
    elif "$ROOT/tools/in-root.sh" "$ROOT_ARCHIVE" "$tree" bash /source/headroom/tools/fresh/steps.sh "${run#*:}" 2>&1 | tee "$log" | grep --line-buffered -E '^(==|--|step )'; then
        outcome=passed
    else
        outcome="FAILED, see build/${log##*/}"
        failed=1
        tail -n 30 "$log"
    fi
    summary+=("$(printf '%-16s %4d s  %s' "$run" $((SECONDS - start)) "$outcome")")
done

printf '\n== summary of fresh machines, %s\n' "$(git -C "$ROOT" describe --always --dirty)"
printf '%s\n' "${summary[@]}"
exit "$failed"
