#!/usr/bin/env bash
# Runs the tests on each platform that README names: in a copy of the working tree with its own vendor directory, inside a
# Debian root with the servers of that release, or on this machine if it has the platform's PHP.
#   dev/platforms.sh [--smoke] [--list] [PLATFORM...]
# --smoke is faster by minutes: it runs only the first platform, with MySQL, and the tests that show whether it works at all.
# Without root, or if the package source is unreachable, it prints which platforms it skips.
set -euo pipefail
umask 022

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export HEADROOM_FIXTURES=${HEADROOM_FIXTURES:-$(dirname "$ROOT")/shared}
# shellcheck source=dev/roots.bash
. "$ROOT/dev/roots.bash"

# For Debian 12 and 13: the packages of a root besides its PHP. Ubuntu's PHP and others also work if they are new
# enough.
SERVERS=(mariadb-server postgresql redis-server beanstalkd nginx)
TOOLS=(ca-certificates composer curl make git unzip procps iproute2 strace python3-minimal mmdebstrap zstd util-linux)
EXTENSIONS=(cli fpm curl mbstring xml sqlite3 mysql pgsql redis zip)

# PLATFORM: release of Debian, its PHP, and the requirements for Composer. The first one is the main line.
declare -A PLATFORMS=(
    [debian13-laravel13]='trixie 8.4 laravel/framework:^13.0 symfony/console:^8.0 symfony/process:^8.0 guzzlehttp/guzzle:^8.0'
    [debian13-symfony7]='trixie 8.4 laravel/framework:^13.0 symfony/console:^7.4 symfony/process:^7.4 guzzlehttp/guzzle:^7.10'
    [debian13-laravel12]='trixie 8.4 laravel/framework:^12.0'
    [debian12-laravel12]='bookworm 8.2 laravel/framework:^12.0'
    [debian12-laravel11]='bookworm 8.2 laravel/framework:^11.0'
)
ORDER=(debian13-laravel13 debian13-symfony7 debian13-laravel12 debian12-laravel12 debian12-laravel11)

smoke=0
asked=()
for word in "$@"; do
    case $word in
        --smoke) smoke=1 ;;
        --list) printf '%s\n' "${ORDER[@]}"; exit 0 ;;
        *) [[ -n ${PLATFORMS[$word]:-} ]] || { echo "platforms: unknown: $word. There are: ${ORDER[*]}" >&2; exit 2; }; asked+=("$word") ;;
    esac
done
if [[ ${#asked[@]} -eq 0 ]]; then
    if ((smoke)); then asked=("${ORDER[0]}"); else asked=("${ORDER[@]}"); fi
fi

here=$(php -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
# is_native PHP: true if this machine's PHP can replace the platform's. Requirements for PHP 8.4 also work on a newer
# one.
is_native() {
    if [[ $1 == 8.2 ]]; then [[ $here == 8.2 ]]; else [[ $(printf '%s\n%s\n' "$here" "$1" | sort -V | head -n 1) == "$1" ]]; fi
}

# Tracked and new files in their current state.
copy_tree() {
    mkdir -p "$1"
    git -C "$ROOT" ls-files -z --cached --others --exclude-standard | tar -C "$ROOT" --null --ignore-failed-read -cf - -T - 2>/dev/null | tar -C "$1" -xf -
}

archive_of() {
    local release=$1 php=$2 packages=("${TOOLS[@]}" "${SERVERS[@]}")
    packages+=("${EXTENSIONS[@]/#/php$php-}")
    if [[ $release == trixie ]]; then packages+=(valkey-server); fi
    root_archive "platform-$release" "$release" apt "${packages[@]}"
}

work=$(mktemp -d "${TMPDIR:-/tmp}/headroom-platforms.XXXXXXXX")
# Tests run processes of other users in it.
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
copy_tree "$work/tree"
mkdir -p "$ROOT/build"
summary=()
skipped=()
without=()
failed=0
note=platforms
if ((smoke)); then note=smoke; fi
rm -f "$ROOT/build/$note.note"
cpu() { awk '{ print int(($16 + $17) / 100) }' "/proc/$$/stat"; }

# attempt PLATFORM RELEASE PHP STEPS...: returns EX_UNAVAILABLE and sets ROOT_REASON if the platform cannot be tested
# here.
attempt() {
    local platform=$1 release=$2 php=$3 code=0
    shift 3
    if is_native "$php"; then
        copy_tree "$work/$platform"
        (cd "$work/$platform" && "$@") || code=$?
        rm -rf "${work:?}/$platform"
        return "$code"
    fi
    root_allowed || return "$EX_UNAVAILABLE"
    archive_of "$release" "$php" || return
    ROOT_REASON="the package source of Debian $release could not be reached in $ROOT_TRIES tries"
    # shellcheck disable=SC2016 # of the inner shell
    "$ROOT/dev/in-root.sh" "$ROOT_ARCHIVE" "$work/tree" bash -c 'cd /source && . dev/roots.bash && reach_source && exec "$@"' bash "$@"
}

for platform in "${asked[@]}"; do
    read -r release php requirements <<<"${PLATFORMS[$platform]}"
    start=$SECONDS before=$(cpu) code=0 outcome=passed told=()
    log=$ROOT/build/platform-$platform.log
    read -ra steps <<<"dev/platforms/steps.sh $smoke $requirements"
    printf '\n== %s: %s\n' "$platform" "$requirements"
    attempt "$platform" "$release" "$php" "${steps[@]}" >"$log" 2>&1 || code=$?
    if ((code == EX_UNAVAILABLE)); then
        outcome="SKIPPED: $ROOT_REASON"
        skipped+=("$ROOT_REASON")
    else
        mapfile -t told < <(grep -aE '^(versions |  - (style-check|types|without|[a-z]+ +[0-9]+ s) )' "$log" || true)
        mapfile -t -O ${#without[@]} without < <(sed -n "s/^  - without /$platform without /p" "$log")
    fi
    if ((code != 0 && code != EX_UNAVAILABLE)); then
        failed=1
        awk '/^There (was|were) [0-9]+ (failure|error)/ { on = 1; next } /^There (was|were) |^--$|^Tests: / { on = 0 } on && /^[0-9]+\) /' "$log" | head -n 40
        tail -n 25 "$log"
        outcome="FAILED, see build/${log##*/}"
    fi
    summary+=("$(printf '%-20s %5d s %5d CPU s  %s' "$platform" $((SECONDS - start)) $(($(cpu) - before)) "$outcome")" ${told[@]+"${told[@]}"})
done

{
    [[ ${#skipped[@]} -eq 0 ]] || printf ', %d of %d skipped: %s' ${#skipped[@]} ${#asked[@]} "${skipped[0]}"
    [[ ${#without[@]} -eq 0 ]] || printf ', %s' "${without[@]}"
} >"$ROOT/build/$note.note"
printf '\n== summary of platforms\n'
printf '%s\n' "${summary[@]}"
exit "$failed"
