# Sourced by Scripts/bootstrap: reads the table of system libraries, Sources/ToolSupport/Libraries/libraries.txt.

library_table=$(dirname "${BASH_SOURCE[0]}")/../../Sources/ToolSupport/Libraries/libraries.txt

# column NUMBER PRODUCT...: prints the words of a column of the rows `library`, without those of earlier rows.
column() {
    awk -v number="$1" -v products=" ${*:2} " '
        $1 == "library" && index(products, " " $3 " ") && $number != "-" && !printed[$number]++ { print $number }
    ' "$library_table"
}

# minimum RELEASE PACKAGE: prints the oldest accepted version of a package: the highest one of the release in the rows
# `fix` and `minimum` of its library, or an empty line.
minimum() {
    local version highest=
    for version in $(awk -v release="$1=" -v package="$2" '
        $1 == "library" && ($5 == package || $7 == package) { name = $2 }
        $1 == "package" || $1 == "development" { for (i = 3; i <= NF; i++) if ($i == package) name = $2 }
        ($1 == "fix" && $3 == name || $1 == "minimum" && $2 == name) {
            for (i = 3; i <= NF; i++)
                if (index($i, release) == 1 && !printed[$i]++) print substr($i, length(release) + 1)
        }
    ' "$library_table"); do
        if [ -z "$highest" ] || dpkg --compare-versions "$version" gt "$highest"; then highest=$version; fi
    done
    echo "$highest"
}
