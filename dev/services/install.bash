# shellcheck shell=bash
# shellcheck disable=SC2154 # ROOT and BASE are the caller's
# `bin/services install`: installs the names whose packages this system has, and prints those that it leaves out.
# It ends with 0 if everything is installed, with 3 if something still has to be, with 4 if this system lacks packages.
# Functions here run with `set -e` in effect, except those that check each exit code themselves.

# shellcheck source=dev/roots.bash
. "$ROOT/dev/roots.bash"

WITHOUT=$BASE/without
LOCK_SECONDS=${HEADROOM_LOCK_SECONDS:-120}
# No Debian release has MySQL. The unstable distribution has it, and its server runs from a directory of its own.
MYSQL_ROOT=(mysql sid extract mysql-server-core)
# Programs and extensions that the servers are used with.
IMPLIED=(strace ext-curl ext-excimer ext-pdo_mysql ext-pdo_pgsql ext-pdo_sqlite ext-redis)

package_of() {
    case $1 in
        mariadb) echo mariadb-server ;;
        roots | mysql) roots_missing ;;
        pgsql) echo postgresql ;;
        redis | redis-cluster) echo redis-server ;;
        fpm) echo "php$(php_version)-fpm" ;;
        # Exists only for the PHP of the release.
        ext-excimer) echo php-excimer ;;
        ext-pdo_sqlite) echo "php$(php_version)-sqlite3" ;;
        ext-pdo_*) echo "php$(php_version)-${1#ext-pdo_}" ;;
        ext-*) echo "php$(php_version)-${1#ext-}" ;;
        clickhouse) echo clickhouse-server ;;
        opensearch) echo default-jre-headless ;;
        python3) echo python3-minimal ;;
        promtool) echo prometheus ;;
        smtp) printf '%s\n' nodejs npm ;;
        clients) printf '%s\n' curl nodejs npm ;;
        chromium) printf '%s\n' chromium chromium-headless-shell; command -v node >/dev/null || echo nodejs; command -v npm >/dev/null || echo npm; echo fonts-dejavu-core ;;
        *) echo "$1" ;;
    esac
}

# Prints the missing packages of one name.
missing_packages_of() {
    case $1 in
        roots | mysql) [[ -n $(binary_of "$1") ]] || ! is_root || roots_missing ;;
        smtp | clients | chromium) npm_programs "$1" || package_of "$1" ;;
        ext-*) grep -qix "${1#ext-}" <<<"$modules" || package_of "$1" ;;
        *) [[ -n $(binary_of "$1") ]] || package_of "$1" ;;
    esac
}

# By default apt-get update returns 0 for a source that it could not reach. It does not wait for the lock of its lists,
# as install does for the lock of dpkg.
apt_update() {
    local until=$((SECONDS + LOCK_SECONDS)) said code
    while :; do
        code=0
        said=$(LC_ALL=C apt-get -o APT::Update::Error-Mode=any update -qq 2>&1) || code=$?
        if [[ $code -eq 0 || $said != *'Could not get lock'* ]] || ((SECONDS >= until)); then break; fi
        sleep 1
    done
    [[ -z $said ]] || printf '%s\n' "$said" >&2
    return "$code"
}

# Before the first apt-get update on a machine, apt knows no package sources.
apt_knows() {
    local policy
    policy=$(LC_ALL=C apt-cache policy)
    [[ $policy == *' Packages'* ]]
}

# Prints those of the packages that the package sources have, one per line.
apt_candidates() {
    local policy
    policy=$(LC_ALL=C apt-cache policy "$@") || return $?
    awk '/^[^ ]+:$/ { name = substr($1, 1, length($1) - 1) } $1 == "Candidate:" && $2 !~ /^\(/ { print name }' <<<"$policy"
}

# Tests install into another directory.
SYSTEM=${HEADROOM_SYSTEM:-}
policy=$SYSTEM/usr/sbin/policy-rc.d
dropin=$SYSTEM/etc/postgresql-common/createcluster.d/zz-headroom.conf

policy_text() { printf '#!/bin/sh\n# headroom: nothing may be started while packages are installed\nexit 101\n'; }

undo_install() {
    local directory
    directory=$(dirname "$dropin")
    if cmp -s <(policy_text) "$policy"; then rm -f "$policy"; fi
    if [[ -e $policy.before-headroom ]]; then mv "$policy.before-headroom" "$policy"; fi
    if [[ -e $dropin ]]; then
        rm -f "$dropin"
        dpkg -S "$directory" >/dev/null 2>&1 || rmdir -p --ignore-fail-on-non-empty "$directory"
    fi
}

# All checkouts share these files, so only one may install at a time. If the script is killed, its apt-get keeps the
# lock until it ends.
lock_system() {
    mkdir -p "$SYSTEM/run"
    exec 7>"$SYSTEM/run/headroom-install.lock"
    flock "$@" 7
}

# Packages start their servers and create a cluster when they are installed, which the user of the machine may not want.
# Sets apt_code to the exit code of apt.
apt_install() {
    umask 022
    lock_system
    trap undo_install EXIT
    trap 'exit 130' INT TERM HUP
    undo_install
    mkdir -p "$(dirname "$policy")" "$(dirname "$dropin")"
    if [[ -e $policy ]]; then mv "$policy" "$policy.before-headroom"; fi
    policy_text >"$policy"
    chmod 755 "$policy"
    echo 'create_main_cluster = false' >"$dropin"
    apt_code=0
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout="$LOCK_SECONDS" install -y -qq --no-install-recommends "$@" >&2 || apt_code=$?
    undo_install
    trap - EXIT INT TERM HUP
    exec 7>&-
}

# install_packages NAMES...: adds the names without packages on this system to `absent`, and sets `code` to 3 if
# packages are still missing.
install_packages() {
    local name package modules available='' updated=0 known=1 wanted=() installable=() tried=() lacks=() still=() apt_code=0
    local -A of=()
    # The files of an installation that was killed would stop later installations from starting their services.
    if is_root && lock_system -n; then undo_install; fi
    exec 7>&-
    modules=$("$PHP" -m)
    for name in "$@" "${IMPLIED[@]}"; do of[$name]=$(missing_packages_of "$name"); done
    mapfile -t wanted < <(printf '%s\n' "${of[@]}" | grep . | sort -u)
    [[ ${#wanted[@]} -gt 0 ]] || return 0
    if command -v apt-get >/dev/null; then
        if is_root; then apt_update || updated=$?; fi
        if { ! is_root || [[ $updated -ne 0 ]]; } && ! apt_knows; then known=0; fi
        if [[ $known -eq 1 ]]; then available=$(apt_candidates "${wanted[@]}"); else available=$(printf '%s\n' "${wanted[@]}"); fi
    fi

    for name in "$@" "${IMPLIED[@]}"; do
        lacks=()
        for package in ${of[$name]}; do grep -qxF -e "$package" <<<"$available" || lacks+=("$package"); done
        if [[ ${#lacks[@]} -eq 0 ]]; then
            # shellcheck disable=SC2206 # names of packages, one a line
            installable+=(${of[$name]})
            [[ -z ${of[$name]} ]] || tried+=("$name")
        elif [[ $updated -ne 0 ]]; then
            code=3
            say "services: not installed: $name. apt-get update ended with $updated, so it is not known whether there is ${lacks[*]}: run this again later."
        else
            say "services: left out: $name. The package sources of this system do not have ${lacks[*]}."
            [[ " $* " != *" $name "* ]] || absent+=("$name")
        fi
    done

    [[ ${#installable[@]} -gt 0 ]] || return 0
    mapfile -t installable < <(printf '%s\n' "${installable[@]}" | sort -u)
    if ! is_root; then
        code=3
        wanted=("${installable[@]}")
        # A single unknown name makes apt install none of the packages.
        # shellcheck disable=SC2016 # of root's shell
        [[ $known -eq 1 ]] || wanted=('$(apt-cache pkgnames | grep -xE' "'$(IFS='|'; echo "${installable[*]}")')")
        say "services: not installed here: ${installable[*]}. Run as root on Debian: apt-get update && apt-get install -y --no-install-recommends ${wanted[*]}"
        return 0
    fi
    say "services: installing ${installable[*]}"
    apt_install "${installable[@]}"
    modules=$("$PHP" -m)
    for name in "${tried[@]}"; do [[ -z $(missing_packages_of "$name") ]] || still+=("$name"); done
    if [[ $apt_code -ne 0 ]]; then
        code=3
        say "services: apt-get install ended with $apt_code${still:+, and these are not there: ${still[*]}}. Its reason is above: run this again when it is gone."
    elif [[ ${#still[@]} -gt 0 ]]; then
        code=3
        say "services: installed, but still not found: ${still[*]}"
    fi
}

# MySQL needs no package database and no configuration: its packages are unpacked, and packed again without files that
# the server never reads.
install_mysql() {
    local made=0
    [[ -z $(binary_of mysql) && " ${absent[*]} " != *' mysql '* ]] || return 0
    if ! is_root; then
        say 'services: left out: mysql. Only root can make the directory that its server runs in.'
        absent+=(mysql)
    elif [[ -z $(roots_missing) ]]; then
        root_archive "${MYSQL_ROOT[@]}" || made=$?
        case $made in
            0) ;;
            "$EX_UNAVAILABLE") absent+=(mysql); say "services: left out: mysql. $ROOT_REASON." ;;
            *) code=3; say "services: not installed: mysql. $ROOT_REASON." ;;
        esac
    fi
}

# The SMTP server, the browser driver and the collector clients of the tests are npm packages, in the versions of their
# lock files.
npm_names() { printf '%s\n' smtp:smtp-server:Smtp chromium:playwright-core:Browser clients:cloudevents:Clients; }

# Returns 0 if the system has the programs that the npm package needs.
npm_programs() {
    local program needed=(node npm)
    case $1 in clients) needed+=(curl) ;; chromium) needed+=(chromium chromium-headless-shell) ;; esac
    for program in "${needed[@]}"; do command -v "$program" >/dev/null || return 1; done
}

# npm_place NAME: sets package, lock and home.
npm_place() {
    local folder
    IFS=: read -r _ package folder < <(npm_names | grep "^$1:")
    home=$ROOT/build/${folder,,}
    lock=$ROOT/tests/$folder/package-lock.json
}

npm_home() {
    local package lock home
    npm_place "$1"
    [[ ! -d $home/node_modules/$package ]] || ! cmp -s "$lock" "$home/package-lock.json" || echo "$home"
}

# The directory gets its final name only when it is complete, so a killed installation does not count.
install_npm() {
    local package lock home
    npm_place "$1"
    [[ -z $(npm_home "$1") ]] || return 0
    if ! {
        rm -rf "$home.new" &&
            mkdir -p "$home.new" &&
            cp "${lock%/*}/package.json" "$lock" "$home.new/" &&
            npm ci --prefix "$home.new" --no-audit --no-fund --ignore-scripts --loglevel=error >&2 &&
            rm -rf "$home" &&
            mv "$home.new" "$home"
    }; then
        code=3
        say "services: not installed: $1. npm could not install the packages of $lock in ${home%/*}."
    fi
}

# Writes the names that this system has no packages for: tests skip them, also if CI=true.
write_without() {
    local name now
    now=$({
        # Names that were not requested this time and are still missing.
        while read -r name; do [[ " $* " == *" $name "* || -n $(binary_of "$name") ]] || echo "$name"; done < <(cat "$WITHOUT" 2>/dev/null)
        printf '%s\n' "${absent[@]}"
    } | grep . | sort -u || true)
    [[ $now != "$(cat "$WITHOUT" 2>/dev/null || true)" ]] || return 0
    mkdir -p "$BASE" 2>/dev/null || true
    if [[ -w $BASE ]]; then
        printf '%s' "${now:+$now$'\n'}" >"$WITHOUT.new"
        mv "$WITHOUT.new" "$WITHOUT"
    else
        say "services: $WITHOUT is not up to date, as $(id -un) may not write it. Set HEADROOM_WITHOUT='${now//$'\n'/ }' for tests."
    fi
}

install_all() {
    local name code=0 absent=()
    install_packages "$@"
    if [[ " $* " == *' mysql '* ]]; then install_mysql; fi
    for name in "$@"; do
        case $name in smtp | clients | chromium) if npm_programs "$name"; then install_npm "$name"; fi ;; esac
    done
    write_without "$@"
    [[ $code -eq 0 ]] || exit "$code"
    [[ ${#absent[@]} -eq 0 ]] || exit 4
    say 'services: everything needed is installed'
}
