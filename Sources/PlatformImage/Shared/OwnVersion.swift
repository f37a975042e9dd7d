/// The version of the package (semver.org), as in `CHANGELOG.md` and the version of the programs.
package let platformImageVersion = "0.1.0"
