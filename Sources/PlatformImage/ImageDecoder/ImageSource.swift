/// The bytes of an image file: in memory, or in a file that is opened when it is decoded.
///
/// A source owns what it needs, so that it can be stored and passed to another thread. ``ImageDecoder`` and
/// ``DecodeQueue`` take a source, or an array of bytes in its place:
///
/// ```swift
/// let image = try decoder.decode(.file("photo.jpg"))
/// let small = try await queue.thumbnail(of: .bytes(data), options: ThumbnailOptions(width: 200))
/// ```
public struct ImageSource: Sendable {
    enum Storage: Sendable {
        case array([UInt8])
        case contiguous(any ContiguousStorage)
        case file(FileSource)
    }

    let storage: Storage

    init(_ storage: Storage) { self.storage = storage }
}

/// A value that can be decoded: an ``ImageSource``, or an array of the bytes of an image file.
///
/// Another collection of bytes, such as `Data` of Foundation, is passed as `.bytes(data)`.
public protocol ImageSourceConvertible: Sendable {
    /// The value as a source; an array is not copied.
    var imageSource: ImageSource { get }
}

extension ImageSource: ImageSourceConvertible {
    /// The source itself.
    public var imageSource: ImageSource { self }
}

extension Array: ImageSourceConvertible where Element == UInt8 {
    /// A source of the bytes in the array, which are not copied.
    public var imageSource: ImageSource { ImageSource(.array(self)) }
}

extension ImageSourceConvertible where Self == ImageSource {
    /// The complete file in an array, which is not copied.
    public static func bytes(_ bytes: [UInt8]) -> ImageSource { ImageSource(.array(bytes)) }

    /// The complete file in a collection, such as `Data` or `ArraySlice`.
    ///
    /// The source retains the collection. The bytes are used in place if the collection is contiguous; otherwise this
    /// call copies them.
    public static func bytes(_ bytes: some Collection<UInt8> & Sendable) -> ImageSource {
        bytes.isContiguous ? ImageSource(.contiguous(CollectionStorage(bytes))) : ImageSource(.array([UInt8](bytes)))
    }

    /// The complete file in parts that follow each other, such as those of a received body; this call copies them.
    public static func chunks(_ chunks: some Sequence<some Collection<UInt8>>) -> ImageSource {
        var bytes: [UInt8] = []
        for chunk in chunks { bytes += chunk }
        return ImageSource(.array(bytes))
    }

    /// The file at a path.
    ///
    /// The file is opened by each call that takes the source. By default, a file of 1 MiB or more is mapped: its bytes
    /// are not copied, and the system can reclaim their memory. A smaller file is read. A file that becomes shorter
    /// while it is mapped causes the error `fileUnreadable` with the detail `changed`; for this, the first mapping
    /// installs a handler of the signal SIGBUS, which passes signals of other causes to the previous action. A file
    /// whose bytes are overwritten while it is mapped can give an image with parts of both contents; to replace a file,
    /// rename a new file to its name.
    ///
    /// Without a declared content type, the extension of a JPEG's name declares its type if the file begins with
    /// `FF D8` and has junk after it.
    ///
    /// - Parameters:
    ///   - path: Path of a regular file; symbolic links are followed. A directory, a FIFO or a device is rejected
    ///     without waiting for data.
    ///   - mapsFile: False to read the file into memory instead of mapping it: for files that a process that is not
    ///     trusted can overwrite during the decode, and for processes that must not have a handler of SIGBUS.
    public static func file(_ path: String, mapsFile: Bool = true) -> ImageSource {
        .file(pathBytes: Array(path.utf8), mapsFile: mapsFile)
    }

    /// The file at a path that need not be UTF-8.
    ///
    /// - Parameters:
    ///   - pathBytes: The bytes of the path, as the system calls take them, without the final NUL.
    ///   - mapsFile: As in ``ImageSourceConvertible/file(_:mapsFile:)``.
    public static func file(pathBytes: [UInt8], mapsFile: Bool = true) -> ImageSource {
        ImageSource(.file(FileSource(place: .path(pathBytes), mapsFile: mapsFile)))
    }

    /// The regular file behind an open descriptor, from its first byte on; the position of the descriptor is neither
    /// used nor changed.
    ///
    /// The caller keeps the descriptor open as long as calls use the source; they duplicate it.
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor that is open for reading.
    ///   - mapsFile: As in ``ImageSourceConvertible/file(_:mapsFile:)``.
    public static func descriptor(_ descriptor: Int32, mapsFile: Bool = true) -> ImageSource {
        ImageSource(.file(FileSource(place: .descriptor(descriptor), mapsFile: mapsFile)))
    }
}

/// Bytes in the contiguous storage of a collection.
protocol ContiguousStorage: Sendable {
    func withSpan<Result, E: Error>(_ body: (Span<UInt8>) throws(E) -> Result) throws(E) -> Result
}

private struct CollectionStorage<Bytes: Collection<UInt8> & Sendable>: ContiguousStorage {
    let bytes: Bytes

    init(_ bytes: Bytes) { self.bytes = bytes }

    func withSpan<Result, E: Error>(_ body: (Span<UInt8>) throws(E) -> Result) throws(E) -> Result {
        try bytes.withSpan(body)
    }
}

/// The open bytes of a source, during a call.
struct OpenSource {
    /// The array that contains the bytes; nil when they are elsewhere.
    var array: [UInt8]?
    /// The name of the file; nil for none.
    var fileName: String?

    /// The declared type, or that of the file's name when no type is declared.
    func declaredType(_ contentType: ContentType?, _ bytes: Span<UInt8>) -> ContentType? {
        fileName.map { ContentType.declared(contentType, ofFileNamed: $0, bytes) } ?? contentType
    }
}

extension ImageSource {
    /// Calls `body` with the bytes; opens and closes a file.
    ///
    /// - Throws: `fileUnreadable`, `limitExceeded` with the detail `maxInputBytes`, `outOfMemory`, `cancelled`, or the
    ///   error of `body`.
    func withBytes<Result>(
        _ limits: DecodeLimits, _ flag: CancellationFlag?,
        _ body: (Span<UInt8>, OpenSource) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
        switch storage {
        case .array(let array): return try body(array.span, OpenSource(array: array))
        case .contiguous(let bytes):
            return try bytes.withSpan { (span) throws(DecodeError) in try body(span, OpenSource()) }
        case .file(let file):
            return try InputFile.withBytes(of: file.place, limits: limits, mapsFile: file.mapsFile, flag: flag) {
                (bytes, _) throws(DecodeError) in
                try body(bytes, OpenSource(fileName: file.place.name))
            }
        }
    }

    /// The bytes in an array: that of the source, or a copy. A file is read directly into it.
    ///
    /// - Throws: The errors of ``withBytes(_:_:_:)``.
    func array(
        _ limits: DecodeLimits, _ flag: CancellationFlag?
    ) throws(DecodeError) -> (bytes: [UInt8], source: OpenSource) {
        switch storage {
        case .array(let array): return (array, OpenSource(array: array))
        case .contiguous(let bytes):
            let array = bytes.withSpan { [UInt8]($0) }
            return (array, OpenSource(array: array))
        case .file(let file):
            let array = try InputFile.bytes(of: file.place, limits: limits, flag: flag)
            return (array, OpenSource(array: array, fileName: file.place.name))
        }
    }
}
