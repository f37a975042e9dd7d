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
    echo "$*" >"$root/.packages"
}

# The fixtures that the digest program reads, one path in a line.
fixture_list() { git ls-files 'Fixtures/*' | grep -E '\.(png|jpe?g|gif|tiff?|bmp)$'; }

# compile_digests PROGRAM COMPILER...: the C core with Tests/CImageCodecsDigests.
compile_digests() {
    local program=$1 core=Sources/CImageCodecs
    shift
    # shellcheck disable=SC2046
    "$@" -std=gnu17 -O2 -I$core/include -I$core $(find $core -name '*.c') Tests/CImageCodecsDigests/digests.c \
        -o "$program" ${LDFLAGS:-} -lpng -ljpeg -lgif -ltiff -llcms2 -ldeflate -lz -lm -pthread
}
