internal import CImageCodecs

/// A C library that the codecs link, with its version.
package struct CodecLibrary: Hashable, Sendable {
    /// The name of the project, such as `libpng`.
    package let name: String
    /// The version, such as `1.6.39`.
    package let version: String
    /// True when the loaded library reported the version; false when it is that of the headers at compile time.
    package let isLoaded: Bool

    /// The linked libraries. Libraries that are used only by libtiff are not among them.
    package static func linked() -> [CodecLibrary] {
        var result: [CodecLibrary] = []
        var library = unsafe imgc_library()
        while unsafe imgc_library_at(result.count, &library) {
            let name = unsafe String(cString: library.name)
            unsafe result.append(
                CodecLibrary(name: name, version: text(of: library.version), isLoaded: library.is_loaded))
        }
        return result
    }
}
