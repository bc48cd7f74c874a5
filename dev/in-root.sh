#!/usr/bin/env bash
# Runs a command as root in a packed Debian root (dev/roots.bash), with a copy of a source tree at /source.
#   dev/in-root.sh ARCHIVE TREE COMMAND [ARGUMENTS]
# The root lies in memory, mounted in a namespace of its own with its own processes, so nothing of it remains however this
# ends. The network, the name servers, the proxies and the trusted certificates are those of this machine.
# /shared is HEADROOM_FIXTURES, /cache HEADROOM_CACHE, if they exist. CI and HEADROOM_SEED are passed to the command.
set -euo pipefail
umask 022

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=dev/roots.bash
. "$here/roots.bash"

if [[ ${1:-} != --inside ]]; then
    exec "${ISOLATED[@]}" "$here/in-root.sh" --inside "$@"
fi

shift
archive=$1 tree=$2 root=$ROOT_MOUNT
shift 2

mkdir -p "$root"
mount -t tmpfs -o size=80%,mode=755 headroom-root "$root"
unpack_root "$archive" "$root"
mkdir -p "$root"/{proc,dev,sys,run,source,shared,cache}
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
cp -a "$tree/." "$root/source"
chown -R 0:0 "$root/source"
if [[ -d ${HEADROOM_FIXTURES:-} ]]; then mount --rbind "$HEADROOM_FIXTURES" "$root/shared"; fi
mount --bind "$(dirname "$ROOTS")" "$root/cache"
for file in /etc/resolv.conf /etc/hosts; do [[ ! -e $file ]] || cp -L "$file" "$root/etc/"; done
# A machine behind a proxy that intercepts TLS trusts additional certificates.
if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null && [[ -x $root/usr/sbin/update-ca-certificates ]]; then
    cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
    chroot "$root" /usr/sbin/update-ca-certificates >/dev/null 2>&1
fi

environment=()
for name in CI HEADROOM_SEED {http,https,no}_proxy {HTTP,HTTPS,NO}_PROXY; do
    [[ -z ${!name:-} ]] || environment+=("$name=${!name}")
done

# Like the switch from an initial root file system: after a plain chroot the command could not create namespaces.
cd "$root"
mount --move . /
exec /usr/bin/env -i HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HEADROOM_FIXTURES=/shared HEADROOM_CACHE=/cache "${environment[@]}" "$(command -v chroot)" . "$@"
