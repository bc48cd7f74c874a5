# shellcheck shell=bash
# shellcheck disable=SC2154 # ROOT and BASE are the caller's
# What `bin/services install` does: it installs the names whose packages this system has, and names those that it leaves out.
# It ends with 0 when all are there, with 3 when some are still to be installed, with 4 when this system has no packages of some.

# shellcheck source=tools/roots.bash
. "$ROOT/tools/roots.bash"

WITHOUT=$BASE/without
# MySQL is in no Debian release. The unstable distribution has it, and its server runs from a directory of its own.
MYSQL_ROOT=(mysql sid extract mysql-server-core)

package_of() {
    case $1 in
        mariadb) echo mariadb-server ;;
        roots | mysql) roots_missing ;;
        pgsql) echo postgresql ;;
        redis | redis-cluster) echo redis-server ;;
        fpm) echo "php$(php_version)-fpm" ;;
        clickhouse) echo clickhouse-server ;;
        opensearch) echo default-jre-headless ;;
        python3) echo python3-minimal ;;
        smtp) printf '%s\n' nodejs npm ;;
        clients) printf '%s\n' curl nodejs npm ;;
        chromium) printf '%s\n' chromium chromium-headless-shell; command -v node >/dev/null || echo nodejs; command -v npm >/dev/null || echo npm; echo fonts-dejavu-core ;;
        *) echo "$1" ;;
    esac
}

# The packages of one name that are not here.
missing_packages_of() {
    local extension=''
    case $1 in
        roots | mysql) [[ -n $(binary_of "$1") ]] || ! is_root || roots_missing; return ;;
        extensions)
            for extension in curl:curl pdo_mysql:mysql pdo_pgsql:pgsql pdo_sqlite:sqlite3 redis:redis; do
                grep -qix "${extension%%:*}" <<<"$modules" || echo "php$(php_version)-${extension#*:}"
            done
            return ;;
    esac
    [[ -n $(binary_of "$1") ]] || package_of "$1"
}

# Before apt's first update on a machine nothing is known of its package sources: then each package is taken to be there.
apt_has() {
    local policy
    [[ $(LC_ALL=C apt-cache policy) == *' Packages'* ]] || return 0
    policy=$(LC_ALL=C apt-cache policy "$1")
    [[ $policy == *'Candidate: '[!\(]* ]]
}

policy=/usr/sbin/policy-rc.d
dropin=/etc/postgresql-common/createcluster.d/zz-headroom.conf

undo_install() {
    if [[ -f $policy ]] && grep -q headroom "$policy"; then rm -f "$policy"; fi
    if [[ -e $policy.before-headroom ]]; then mv "$policy.before-headroom" "$policy"; fi
    rm -f "$dropin"
}

# Packages start their servers and create a cluster when they are installed; on another person's machine neither is wanted.
apt_install() {
    trap undo_install EXIT
    trap 'exit 130' INT TERM HUP
    undo_install
    if [[ -e $policy ]]; then mv "$policy" "$policy.before-headroom"; fi
    printf '#!/bin/sh\n# headroom: nothing may be started while packages are installed\nexit 101\n' >"$policy"
    chmod 755 "$policy"
    mkdir -p "$(dirname "$dropin")"
    echo 'create_main_cluster = false' >"$dropin"
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends "$@" >&2
    undo_install
    trap - EXIT INT TERM HUP
}

# install_packages NAMES...: adds to `absent` the names that this system has no packages for. Ends with 3 where packages are
# still missing.
install_packages() {
    local name package modules installable=() missing=() lacks=()
    local -A of=()
    # What an installation that was killed has left would keep each later one from starting its services.
    ! is_root || undo_install
    modules=$("$PHP" -m)
    for name in "$@" strace extensions; do of[$name]=$(missing_packages_of "$name"); done
    [[ -n ${of[*]// /} ]] || return 0
    if is_root && command -v apt-get >/dev/null; then apt-get -o DPkg::Lock::Timeout=120 update -qq >&2; fi

    for name in "${!of[@]}"; do
        lacks=()
        for package in ${of[$name]}; do ! command -v apt-cache >/dev/null || apt_has "$package" || lacks+=("$package"); done
        if [[ ${#lacks[@]} -eq 0 ]]; then
            # shellcheck disable=SC2206 # names of packages, one a line
            installable+=(${of[$name]})
        else
            absent+=("$name")
            say "services: left out: $name. The package sources of this system do not have ${lacks[*]}."
        fi
    done

    [[ ${#installable[@]} -gt 0 ]] || return 0
    mapfile -t installable < <(printf '%s\n' "${installable[@]}" | sort -u)
    if ! is_root || ! command -v apt-get >/dev/null; then
        say "services: not installed here: ${installable[*]}. Run as root on Debian: apt-get install --no-install-recommends ${installable[*]}"
        return 3
    fi
    say "services: installing ${installable[*]}"
    apt_install "${installable[@]}"
    modules=$("$PHP" -m)
    # shellcheck disable=SC2207
    for name in "${!of[@]}"; do [[ " ${absent[*]-} " == *" $name "* ]] || missing+=($(missing_packages_of "$name")); done
    [[ ${#missing[@]} -eq 0 ]] || die 3 "installed, but still not found: ${missing[*]}"
}

# It needs no package database and no configuration: the packages are unpacked, and packed again without what a server never reads.
install_mysql() {
    [[ -z $(binary_of mysql) ]] || return 0
    if is_root && root_archive "${MYSQL_ROOT[@]}"; then return 0; fi
    say "services: left out: mysql. ${ROOT_REASON:-Only root can make the directory that its server runs in}."
    absent+=(mysql)
}

# The tests' SMTP server, the driver of their browser and the clients of the collector are packages of npm, in exactly the versions of their lock files.
install_npm() {
    local package=$1 from=$ROOT/tests/$2 home=$ROOT/build/$3
    local lock=$from/package-lock.json
    if [[ -d $home/node_modules/$package ]] && cmp -s "$lock" "$home/package-lock.json"; then return 0; fi
    rm -rf "$home"
    mkdir -p "$home"
    cp "$from/package.json" "$lock" "$home/"
    npm ci --prefix "$home" --no-audit --no-fund --ignore-scripts --loglevel=error >&2 || die 3 "npm could not install the packages of $lock"
}

install_all() {
    local name package folder home code=0 absent=()
    install_packages "$@" || code=$?
    if [[ " $* " == *' mysql '* && $code -eq 0 ]]; then install_mysql; fi
    for name in smtp:smtp-server:Smtp:smtp chromium:playwright-core:Browser:browser clients:cloudevents:Clients:clients; do
        IFS=: read -r name package folder home <<<"$name"
        if [[ " $* " == *" $name "* && -n $(binary_of "$name") ]]; then install_npm "$package" "$folder" "$home"; fi
    done
    [[ $code -eq 0 ]] || exit "$code"
    # Tests skip these by name, also where CI=true.
    mkdir -p "$BASE"
    { grep -vxF "$(printf '%s\n' "$@")" "$WITHOUT" 2>/dev/null || true; printf '%s\n' "${absent[@]}"; } | grep . | sort -u >"$WITHOUT.new" || true
    mv "$WITHOUT.new" "$WITHOUT"
    [[ ${#absent[@]} -eq 0 ]] || exit 4
    say 'services: everything needed is installed'
}
