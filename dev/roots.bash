# shellcheck shell=bash
# Debian roots: directories that contain a distribution and nothing of this machine. Each is created once and kept as a
# packed archive outside the checkout, named by a hash of its packages. See dev/fresh.sh, dev/platforms.sh and MySQL in
# bin/services.

ROOTS=${HEADROOM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/headroom}/roots
# An empty directory on which a process with its own namespace mounts a root. It needs nothing that lies below it.
# shellcheck disable=SC2034 # make-root.sh and in-root.sh use it
ROOT_MOUNT=$ROOTS/mount
ROOT_TRIES=3
# The value of sysexits.h.
EX_UNAVAILABLE=69
# apt also prints "Failed to fetch" for a full disk, a wrong signature and a missing file.
ROOT_BROKEN='no space left|write error|error writing|hash sum mismatch|not signed|  40[0-9]  '
ROOT_UNREACHABLE='could not (resolve|connect)|temporary failure|unable to connect|network is unreachable|no route to host|connection (failed|timed out|refused)|failed getting release'
ROOT_TOOLS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

roots_missing() {
    command -v mmdebstrap >/dev/null || command -v debootstrap >/dev/null || echo mmdebstrap
    command -v zstd >/dev/null || echo zstd
    [[ -e /usr/share/keyrings/debian-archive-keyring.gpg ]] || echo debian-archive-keyring
}

# root_path NAME SUITE VARIANT PACKAGES...: prints the path of the archive, which may not exist yet.
root_path() {
    local name=$1
    printf '%s/%s-%s.tar.zst\n' "$ROOTS" "$name" "$(printf '%s\n' "$@" | LC_ALL=C sort | sha256sum | cut -c1-12)"
}

may_isolate() { unshare --mount --pid --fork sh -c 'mount -t tmpfs none /mnt && mkdir /mnt/proc && mount -t proc proc /mnt/proc' 2>/dev/null; }

# Prefix for a command: it gets mount and process namespaces of its own, which end with the caller. unshare ignores TERM
# while it waits, hence KILL, which ends all processes in the namespaces.
ISOLATED=(setpriv --pdeathsig KILL -- unshare --mount --pid --fork --kill-child)

# Returns 0 if this process may mount a root in namespaces of its own; otherwise 1, with ROOT_REASON.
root_allowed() {
    if [[ $EUID -ne 0 ]]; then
        ROOT_REASON='only root can make and enter a Debian root'
    elif ! may_isolate; then
        ROOT_REASON='this root may not have mounts and processes of its own'
    elif [[ -n $(roots_missing) ]]; then
        ROOT_REASON="not installed: $(roots_missing | paste -sd ' '), which \`bin/services install roots\` installs"
    else
        return 0
    fi
    return 1
}

# root_archive NAME SUITE VARIANT PACKAGES...: creates the archive if it does not exist, and sets ROOT_ARCHIVE to its
# path. Returns EX_UNAVAILABLE if the package source is unreachable and 1 for any other failure, with ROOT_REASON.
root_archive() {
    ROOT_ARCHIVE=$(root_path "$@")
    ! root_is_whole || return 0
    if ! mkdir -p "$ROOTS" || ! exec 8>"$ROOT_ARCHIVE.lock"; then
        ROOT_REASON="$ROOTS cannot be written"
        return 1
    fi
    # Other processes, also in containers, wait for the same archive. The kernel releases the lock when the last holder
    # ends.
    flock 8
    local code=0
    root_is_whole || root_archive_made "$@" || code=$?
    exec 8>&-
    return "$code"
}

# A full disk or a power cut leaves a truncated archive.
root_is_whole() { [[ -s $ROOT_ARCHIVE ]] && zstd -q -t "$ROOT_ARCHIVE" 2>/dev/null; }

root_archive_made() {
    local log=$ROOTS/$1.log try code making=(bash)
    printf 'roots: making %s from the packages of Debian %s. It is kept in %s.\n' "$1" "$2" "$ROOTS" >&2
    ! may_isolate || making=("${ISOLATED[@]}" bash)
    for ((try = 1; try <= ROOT_TRIES; try++)); do
        rm -f "$ROOT_ARCHIVE.new"
        if "${making[@]}" "$ROOT_TOOLS/make-root.sh" "$ROOT_ARCHIVE.new" "${@:2}" >"$log" 2>&1; then
            sync "$ROOT_ARCHIVE.new"
            mv "$ROOT_ARCHIVE.new" "$ROOT_ARCHIVE"
            return 0
        fi
        rm -f "$ROOT_ARCHIVE.new"
        if ! is_unreachable "$log"; then
            tail -n 20 "$log" >&2
            ROOT_REASON="$1 could not be made; its log is $log"
            return 1
        fi
        sleep "$try"
    done
    # shellcheck disable=SC2034 # the caller prints it
    ROOT_REASON="the package source of Debian $2 could not be reached in $ROOT_TRIES tries"
    return "$EX_UNAVAILABLE"
}

# is_unreachable LOG: true if the log shows an unreachable network and no other failure.
is_unreachable() { ! grep -qiE "$ROOT_BROKEN" "$1" && grep -qiE "$ROOT_UNREACHABLE" "$1"; }

# Runs inside a root, before its steps. Returns EX_UNAVAILABLE, or 1 for any other failure.
reach_source() {
    local log try
    log=$(mktemp)
    for ((try = 1; try <= ROOT_TRIES; try++)); do
        ! apt-get -qq --error-on=any -o Acquire::Check-Valid-Until=false update >"$log" 2>&1 || return 0
        is_unreachable "$log" || { cat "$log" >&2; return 1; }
        sleep "$try"
    done
    return "$EX_UNAVAILABLE"
}

# unpack_root ARCHIVE DIRECTORY
unpack_root() {
    mkdir -p "$2"
    zstd -q -d -c "$1" | tar -C "$2" --numeric-owner -xpf -
}
