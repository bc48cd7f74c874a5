# shellcheck shell=bash
# Debian roots: directories that hold a distribution and nothing of this machine. Each is made once and kept as a packed archive
# outside the checkout, named by what is in it. See tools/fresh.sh, tools/platforms.sh and MySQL in bin/services.

ROOTS=${HEADROOM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/headroom}/roots
ROOT_TRIES=3
ROOT_UNREACHABLE='failed to fetch|could not (resolve|connect)|temporary failure|unable to connect|connection (failed|timed out|refused)|failed getting release'

roots_missing() {
    command -v mmdebstrap >/dev/null || command -v debootstrap >/dev/null || echo mmdebstrap
    command -v zstd >/dev/null || echo zstd
}

# root_path NAME SUITE VARIANT PACKAGES...: where its archive is, or would be.
root_path() {
    local name=$1
    printf '%s/%s-%s.tar.zst\n' "$ROOTS" "$name" "$(printf '%s\n' "$@" | sort | sha256sum | cut -c1-12)"
}

# Whether this process may mount what a root needs, in namespaces of its own. Ends with 1 and a ROOT_REASON.
root_allowed() {
    if [[ $EUID -ne 0 ]]; then
        ROOT_REASON='only root can make and enter a Debian root'
    elif ! unshare --mount --pid --fork sh -c 'mount -t tmpfs none /mnt && mkdir /mnt/proc && mount -t proc proc /mnt/proc' 2>/dev/null; then
        ROOT_REASON='this root may not have mounts and processes of its own'
    elif [[ -n $(roots_missing) ]]; then
        ROOT_REASON="not installed: $(roots_missing | paste -sd ' ')"
    else
        return 0
    fi
    return 1
}

# root_archive NAME SUITE VARIANT PACKAGES...: makes it if it is not there. ROOT_ARCHIVE is its path.
# Ends with 1 where the package source cannot be reached, and with 2 for any other failure; ROOT_REASON says which.
root_archive() {
    ROOT_ARCHIVE=$(root_path "$@")
    [[ ! -s $ROOT_ARCHIVE ]] || return 0
    mkdir -p "$ROOTS"
    # Others wait for the same one, in containers as well. The kernel drops the lock of a process that is killed.
    exec 8>"$ROOT_ARCHIVE.lock"
    flock 8
    local code=0
    [[ -s $ROOT_ARCHIVE ]] || root_archive_made "$@" || code=$?
    exec 8>&-
    return "$code"
}

root_archive_made() {
    local new=$ROOT_ARCHIVE.new log=$ROOTS/$1.log try
    printf 'roots: making %s from the packages of Debian %s. It is kept in %s.\n' "$1" "$2" "$ROOTS" >&2
    for ((try = 1; try <= ROOT_TRIES; try++)); do
        rm -rf "$new" "$new.dir"
        if make_root "$new" "$2" "$3" "${@:4}" >"$log" 2>&1 8>&-; then
            mv "$new" "$ROOT_ARCHIVE"
            return 0
        fi
        rm -rf "$new" "$new.dir"
        # A package that is not there, or is not what its index says, is a fault of another kind.
        if grep -qiE '404 |hash sum mismatch' "$log" || ! grep -qiE "$ROOT_UNREACHABLE" "$log"; then
            tail -n 20 "$log" >&2
            ROOT_REASON="$1 could not be made; its log is $log"
            return 2
        fi
        sleep "$try"
    done
    # shellcheck disable=SC2034 # the caller prints it
    ROOT_REASON="the package source of Debian $2 could not be reached in $ROOT_TRIES tries"
    return 1
}

# make_root ARCHIVE SUITE VARIANT PACKAGES...
# The variant `extract` is for a server that runs from a directory: nothing is configured, and only what it reads is kept.
make_root() {
    local archive=$1 suite=$2 variant=$3 dir=$1.dir packages leave_out=(--exclude='./var/cache/apt/archives/*.deb' --exclude='./var/lib/apt/lists/*_*')
    shift 3
    packages=$(IFS=,; printf '%s' "$*")
    if command -v mmdebstrap >/dev/null; then
        # A mirror may be a copy of some weeks ago, whose files say that they have expired.
        mmdebstrap --mode=root --aptopt='Acquire::Check-Valid-Until "false"' --variant="$variant" --include="$packages" "$suite" "$dir" || return 1
    elif [[ $variant == extract ]]; then
        debootstrap --foreign --variant=minbase --include="$packages" "$suite" "$dir" || return 1
        for package in "$dir"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$dir" || return 1; done
    else
        debootstrap --variant=minbase --include="$packages" "$suite" "$dir" || return 1
    fi
    if [[ $variant == extract ]]; then
        leave_out+=(--exclude='./usr/bin' --exclude='./usr/share/'{doc,man,locale,perl} --exclude='./usr/lib/*/perl*')
        # Debian's own link, which a package of the base system makes.
        for link in bin sbin lib lib64; do [[ -e $dir/$link ]] || [[ ! -d $dir/usr/$link ]] || ln -s "usr/$link" "$dir/$link"; done
    fi
    tar -C "$dir" --numeric-owner "${leave_out[@]}" -cf - . | zstd -q -T0 >"$archive" || return 1
    rm -rf "$dir"
}

# unpack_root ARCHIVE DIRECTORY
unpack_root() {
    mkdir -p "$2"
    zstd -q -d -c "$1" | tar -C "$2" --numeric-owner -xpf -
}
