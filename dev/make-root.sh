#!/usr/bin/env bash
# Creates the packed Debian root of dev/roots.bash, in memory if it may mount a tmpfs.
#   dev/make-root.sh ARCHIVE SUITE VARIANT PACKAGES...
# The variant `extract` is for a server that runs from a directory: it configures nothing and keeps only files that the server reads.
set -euo pipefail
umask 022

# shellcheck source=dev/roots.bash
. "$(dirname "${BASH_SOURCE[0]}")/roots.bash"
archive=$1 suite=$2 variant=$3
shift 3
packages=$(IFS=,; printf '%s' "$*")
# A package source that sends a byte a minute never fails by itself.
limit=(timeout --kill-after=10 1200)

mkdir -p "$ROOT_MOUNT"
dir=$ROOT_MOUNT/$$
# The first process of a pid namespace has a mount namespace of its own too.
if (($$ == 1)); then
    mount -t tmpfs -o size=80%,mode=755 headroom-root "$ROOT_MOUNT"
else
    trap 'rm -rf --one-file-system "$dir"' EXIT
fi
mkdir "$dir"

if command -v mmdebstrap >/dev/null; then
    # A mirror may be some weeks old, so the expiry date of its files may have passed.
    "${limit[@]}" mmdebstrap --mode=root --aptopt='Acquire::Check-Valid-Until "false"' --variant="$variant" --include="$packages" "$suite" "$dir"
elif [[ $variant == extract ]]; then
    "${limit[@]}" debootstrap --foreign --variant=minbase --include="$packages" "$suite" "$dir"
    for package in "$dir"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$dir"; done
else
    "${limit[@]}" debootstrap --variant=minbase --include="$packages" "$suite" "$dir"
fi

leave_out=(--exclude='./var/cache/apt/archives/*.deb' --exclude='./var/lib/apt/lists/*_*')
if [[ $variant == extract ]]; then
    leave_out+=(--exclude='./usr/bin' --exclude='./usr/share/'{doc,man,locale,perl} --exclude='./usr/lib/*/perl*')
    # Debian's own link, which the package of the base system creates.
    for link in bin sbin lib lib64; do [[ -e $dir/$link ]] || [[ ! -d $dir/usr/$link ]] || ln -s "usr/$link" "$dir/$link"; done
fi
tar -C "$dir" --one-file-system --numeric-owner "${leave_out[@]}" -cf - . | zstd -q -T0 >"$archive"
