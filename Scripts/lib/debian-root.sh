# Sourced by scripts of Scripts/verify that need another Debian release or architecture.

# debian_root SUITE ARCHITECTURE PACKAGE...
# Creates a root folder with debootstrap, unless it exists with the same packages, and sets `root` to its path.
# A foreign architecture gets the files of the packages without running their installation scripts. Needs root.
debian_root() {
    local suite=$1 architecture=$2
    shift 2
    root=$PWD/.build-roots/$suite-$architecture
    if [ "$(cat "$root/.packages" 2>/dev/null)" = "$*" ]; then return; fi
    if [ "$(id -u)" != 0 ]; then
        echo "$(basename "$0"): debootstrap and chroot need root" >&2
        exit 1
    fi
    command -v debootstrap >/dev/null || Scripts/bootstrap roots
    echo "$(basename "$0"): creating $suite for $architecture in .build-roots" >&2
    rm -rf "$root"
    mkdir -p "$root"
    local include log=$root.log
    include=$(IFS=,; echo "$*")
    if [ "$architecture" = "$(dpkg --print-architecture)" ]; then
        debootstrap --variant=minbase --include="$include" "$suite" "$root" >"$log" 2>&1 || { tail -5 "$log" >&2; exit 1; }
    else
        debootstrap --foreign --arch="$architecture" --variant=minbase --include="$include" "$suite" "$root" \
            >"$log" 2>&1 || { tail -5 "$log" >&2; exit 1; }
        local package
        for package in "$root"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
    fi
    rm -rf "$root"/var/cache/apt/archives/*.deb
    # debootstrap writes only the archive of the release to sources.list; security updates are in a separate archive.
    sed -n 's#^\(deb [^ ]*\)/debian \([a-z]*\) main#\1/debian-security \2-security main#p' \
        "$root/etc/apt/sources.list" >"$root/etc/apt/sources.list.d/security.list"
    echo "$*" >"$root/.packages"
}

# Prints the paths of the fixtures that the digest program reads, one path per line.
fixture_list() { git ls-files 'Fixtures/*' | grep -E '\.(png|jpe?g|gif|tiff?|bmp|webp)$'; }

# compile_digests PROGRAM COMPILER...: compiles the C core and Tests/CImageCodecsDigests to PROGRAM.
compile_digests() {
    local program=$1 core=Sources/CImageCodecs
    shift
    # shellcheck disable=SC2046
    "$@" -std=gnu17 -O2 -DIMGC_WEBP -I$core/include -I$core $(find $core -name '*.c') \
        Tests/CImageCodecsDigests/digests.c -o "$program" ${LDFLAGS:-} -lpng -ljpeg -lgif -ltiff -lwebp -lwebpmux -llcms2 -ldeflate -lz -lm -pthread
}

# enter_copy ROOT RUN COMMAND: runs a shell command in a clone of the last commit, inside a copy of ROOT with the Swift
# toolchain of this machine. The copy is an overlay: changes are written to the folder RUN, which is removed first.
enter_copy() {
    local from=$1 run=$2 command=$3 swift
    swift=$(realpath "$(command -v swift)")
    rm -rf "$run"
    mkdir -p "$run/changes" "$run/work" "$run/root"
    git clone --quiet . "$run/clone"
    # The folder of the toolchain, derived from the path of `swift`: SwiftPM finds its toolchain relative to that path.
    toolchain=${swift%/usr/bin/*} from=$from run=$run command=$command unshare --mount bash -euo pipefail -c '
        mount -t overlay overlay -o "lowerdir=$from,upperdir=$run/changes,workdir=$run/work" "$run/root"
        root=$run/root
        share() { # mounts a file or folder of this machine read-only at its own path
            if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root$(dirname "$1")"; touch "$root$1"; fi
            mount --bind "$1" "$root$1"
            mount -o remount,bind,ro "$root$1"
        }
        share "$toolchain"
        share "$(realpath /etc/resolv.conf)"
        [ ! -d /etc/apt/apt.conf.d ] || share /etc/apt/apt.conf.d
        git config --system --list >/dev/null 2>&1 && cp /etc/gitconfig "$root/etc/gitconfig"
        git config --get-regexp "^url\..*\.insteadof" | sed -n "s/^url\.\(\/.*\)\.insteadof .*/\1/p" | sort -u |
            while read -r folder; do share "${folder%/}"; done
        printf "127.0.0.1 localhost\n::1 localhost\n" >"$root/etc/hosts"
        mkdir -p "$root/source"
        mount --bind "$run/clone" "$root/source"
        mount --rbind /proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount -t tmpfs tmpfs "$root/tmp"
        exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 TERM=dumb \
            PATH="$toolchain/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
            http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
            bash -c "cd /source && $command"'
}
