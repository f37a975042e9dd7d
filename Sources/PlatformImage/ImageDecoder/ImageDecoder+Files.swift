// All functions with file paths. The other parts of the module decode bytes in memory.
//
// Without a declared type, the extension of a JPEG's name declares its type if the file begins with FF D8 and has junk
// after it; see ContentType.init(ofFileNamed:_:).

extension ImageDecoder {
    /// Reads the header of a file and counts its frames or pages, as ``header(of:as:cancellation:)-([UInt8],_,_)``
    /// does.
    ///
    /// - Parameters:
    ///   - path: Path of a regular file; symbolic links are followed.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - mapsFile: False to read the file into memory instead of mapping it; see
    ///     ``decode(contentsOf:as:mapsFile:cancellation:)``.
    ///   - cancellation: Stops the counting of frames and pages when raised.
    /// - Throws: The errors of ``header(of:as:cancellation:)-([UInt8],_,_)``, `fileUnreadable`.
    public func header(
        contentsOf path: String, as contentType: ContentType? = nil, mapsFile: Bool = true,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageHeader {
        try withBytes(of: path, mapsFile, cancellation) { (bytes, _) throws(DecodeError) in
            let contentType = ContentType.declared(contentType, ofFileNamed: path, bytes)
            return try header(of: bytes, as: contentType, cancellation: cancellation)
        }
    }

    /// Decodes the image in a file, as ``decode(_:as:cancellation:)-([UInt8],_,_)`` does.
    ///
    /// A file of 1 MiB or more is mapped: its bytes are not copied, and the system can reclaim their memory. A smaller
    /// file is read. A file that becomes shorter while it is mapped causes the error `fileUnreadable` with the detail
    /// `changed`; for this, the first mapping installs a handler of the signal SIGBUS, which passes signals of other
    /// causes to the previous action. A file whose bytes are overwritten while it is mapped can give an image with
    /// parts of both contents; to replace a file, rename a new file to its name.
    ///
    /// - Parameters:
    ///   - path: Path of a regular file; symbolic links are followed. A directory, a FIFO or a device is rejected
    ///     without waiting for data.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - mapsFile: False to read the file into memory instead of mapping it: for files that a process that is not
    ///     trusted can overwrite during the decode, and for processes that must not have a handler of SIGBUS.
    ///   - cancellation: Stops the decode at its next batch of rows when raised.
    /// - Throws: The errors of ``decode(_:as:cancellation:)-([UInt8],_,_)``; `limitExceeded` when the file has more
    ///   than ``DecodeLimits/maxInputBytes``; `fileUnreadable`.
    public func decode(
        contentsOf path: String, as contentType: ContentType? = nil, mapsFile: Bool = true,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try withBytes(of: path, mapsFile, cancellation) { (bytes, _) throws(DecodeError) in
            let contentType = ContentType.declared(contentType, ofFileNamed: path, bytes)
            return try decode(bytes, as: contentType, cancellation: cancellation)
        }
    }

    /// Makes a thumbnail of the image in a file, as
    /// ``thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)`` does.
    ///
    /// - Parameters:
    ///   - path: Path of a regular file; symbolic links are followed.
    ///   - options: Size, fit, crop and filter.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - mapsFile: False to read the file into memory instead of mapping it; see
    ///     ``decode(contentsOf:as:mapsFile:cancellation:)``.
    ///   - cancellation: Stops the decode at its next batch of rows when raised.
    /// - Throws: The errors of ``thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)``; `limitExceeded` when the
    ///   file has more than ``DecodeLimits/maxInputBytes``; `fileUnreadable`.
    public func thumbnail(
        contentsOf path: String, options: ThumbnailOptions, as contentType: ContentType? = nil, mapsFile: Bool = true,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try withBytes(of: path, mapsFile, cancellation) { (bytes, _) throws(DecodeError) in
            let contentType = ContentType.declared(contentType, ofFileNamed: path, bytes)
            return try thumbnail(of: bytes, options: options, as: contentType, cancellation: cancellation)
        }
    }

    /// Makes several thumbnails of the image in a file with one decode, as
    /// ``thumbnails(of:options:as:cancellation:)-([UInt8],_,_,_)`` does.
    ///
    /// - Parameters:
    ///   - path: Path of a regular file; symbolic links are followed.
    ///   - options: Size, fit, crop and filter of each thumbnail.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - mapsFile: False to read the file into memory instead of mapping it; see
    ///     ``decode(contentsOf:as:mapsFile:cancellation:)``.
    ///   - cancellation: Stops the decode at its next batch of rows when raised.
    /// - Throws: The errors of ``thumbnails(of:options:as:cancellation:)-([UInt8],_,_,_)``; `limitExceeded` when the
    ///   file has more than ``DecodeLimits/maxInputBytes``; `fileUnreadable`.
    public func thumbnails(
        contentsOf path: String, options: [ThumbnailOptions], as contentType: ContentType? = nil,
        mapsFile: Bool = true, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> [DecodedImage] {
        try withBytes(of: path, mapsFile, cancellation) { (bytes, _) throws(DecodeError) in
            let contentType = ContentType.declared(contentType, ofFileNamed: path, bytes)
            return try thumbnails(of: bytes, options: options, as: contentType, cancellation: cancellation)
        }
    }

    /// The frames of the GIF, APNG or WebP in a file, as ``frames(of:as:cancellation:)-([UInt8],_,_)`` returns them.
    ///
    /// The file is read into memory, and closed before this call returns: ``ImageFrames`` decodes later, and changes of
    /// the file have no effect on it.
    ///
    /// - Parameters:
    ///   - path: Path of a regular file; symbolic links are followed.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - cancellation: Stops the reading, and the decode of a frame at its next batch of rows, when raised.
    /// - Throws: The errors of ``frames(of:as:cancellation:)-([UInt8],_,_)``; `limitExceeded` when the file has more
    ///   than ``DecodeLimits/maxInputBytes``; `fileUnreadable`.
    public func frames(
        contentsOf path: String, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageFrames {
        let bytes = try InputFile.bytes(of: path, limits: options.limits, flag: cancellation)
        let contentType = ContentType.declared(contentType, ofFileNamed: path, bytes.span)
        return try frames(of: bytes, as: contentType, cancellation: cancellation)
    }

    fileprivate func withBytes<Result>(
        of path: String, _ mapsFile: Bool, _ flag: CancellationFlag?,
        _ body: (Span<UInt8>, _ byteCount: Int) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
        try InputFile.withBytes(of: path, limits: options.limits, mapsFile: mapsFile, flag: flag, body)
    }
}
