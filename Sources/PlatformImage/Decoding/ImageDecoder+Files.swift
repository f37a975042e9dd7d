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

extension DecodeQueue {
    /// Decodes the image in a file on the queue's threads; the file is opened there too.
    ///
    /// The file is not open while the job waits for memory: its header is read, and after the memory is reserved, the
    /// file is opened again. The reservation includes the bytes of a file that is read, not those of a mapped file. For
    /// a file of 1 MiB or more that is not mapped, memory is reserved twice: for its bytes before the header is read,
    /// and then for the decode; the file is read after each reservation.
    ///
    /// - Parameters:
    ///   - path: Path of a regular file; symbolic links are followed.
    ///   - contentType: The type declared by the sender; nil for none.
    ///   - decoder: Options, limits and cached colour transforms; share one between calls.
    ///   - priority: The priority of the job while it waits for a thread.
    ///   - mapsFile: False to read the file into memory; see
    ///     ``ImageDecoder/decode(contentsOf:as:mapsFile:cancellation:)``.
    /// - Throws: The errors of ``decode(_:as:with:priority:)-([UInt8],_,_,_)`` and `fileUnreadable`; its detail is
    ///   `changed` also when the file was replaced by one that needs more memory while the job waited.
    public func decode(
        contentsOf path: String, as contentType: ContentType? = nil, with decoder: ImageDecoder = ImageDecoder(),
        priority: Priority = .normal, mapsFile: Bool = true
    ) async throws(DecodeError) -> DecodedImage {
        let decoder = decoder.bounded(by: budget)
        return try await run(
            path, mapsFile, decoder, priority,
            prepare: { (bytes, flag) throws(DecodeError) in
                let contentType = ContentType.declared(contentType, ofFileNamed: path, bytes)
                return try decoder.preparedDecode(bytes, as: contentType, cancellation: flag)
            })
    }

    /// Makes a thumbnail of the image in a file on the queue's threads, as
    /// ``decode(contentsOf:as:with:priority:mapsFile:)`` decodes it.
    ///
    /// - Parameters:
    ///   - path: Path of a regular file; symbolic links are followed.
    ///   - options: Size, fit, crop and filter.
    ///   - contentType: The type declared by the sender; nil for none.
    ///   - decoder: Options, limits and cached colour transforms; share one between calls.
    ///   - priority: The priority of the job while it waits for a thread.
    ///   - mapsFile: False to read the file into memory; see
    ///     ``ImageDecoder/decode(contentsOf:as:mapsFile:cancellation:)``.
    /// - Throws: The errors of ``thumbnail(of:options:as:with:priority:)-([UInt8],_,_,_,_)`` and `fileUnreadable`.
    public func thumbnail(
        contentsOf path: String, options: ThumbnailOptions, as contentType: ContentType? = nil,
        with decoder: ImageDecoder = ImageDecoder(), priority: Priority = .normal, mapsFile: Bool = true
    ) async throws(DecodeError) -> DecodedImage {
        let decoder = decoder.bounded(by: budget)
        return try await run(
            path, mapsFile, decoder, priority,
            prepare: { (bytes, flag) throws(DecodeError) in
                let contentType = ContentType.declared(contentType, ofFileNamed: path, bytes)
                return try decoder.preparedThumbnail(bytes, options: options, as: contentType, cancellation: flag)
            })
    }

    /// Makes several thumbnails of the image in a file with one decode on the queue's threads, as
    /// ``decode(contentsOf:as:with:priority:mapsFile:)`` decodes it.
    ///
    /// - Parameters:
    ///   - path: Path of a regular file; symbolic links are followed.
    ///   - options: Size, fit, crop and filter of each thumbnail.
    ///   - contentType: The type declared by the sender; nil for none.
    ///   - decoder: Options, limits and cached colour transforms; share one between calls.
    ///   - priority: The priority of the job while it waits for a thread.
    ///   - mapsFile: False to read the file into memory; see
    ///     ``ImageDecoder/decode(contentsOf:as:mapsFile:cancellation:)``.
    /// - Throws: The errors of ``thumbnails(of:options:as:with:priority:)-([UInt8],_,_,_,_)`` and `fileUnreadable`.
    public func thumbnails(
        contentsOf path: String, options: [ThumbnailOptions], as contentType: ContentType? = nil,
        with decoder: ImageDecoder = ImageDecoder(), priority: Priority = .normal, mapsFile: Bool = true
    ) async throws(DecodeError) -> [DecodedImage] {
        let decoder = decoder.bounded(by: budget)
        return try await run(
            path, mapsFile, decoder, priority,
            prepare: { (bytes, flag) throws(DecodeError) in
                let contentType = ContentType.declared(contentType, ofFileNamed: path, bytes)
                return try decoder.preparedThumbnails(
                    bytes, options: options, isComplete: true, as: contentType, cancellation: flag)
            }
        ).images()
    }

    /// Reads the header of a file, reserves memory, opens the file again and decodes it.
    private func run<Result: Sendable>(
        _ path: String, _ mapsFile: Bool, _ decoder: ImageDecoder, _ priority: Priority,
        prepare: @escaping @Sendable (Span<UInt8>, CancellationFlag) throws(DecodeError) -> PreparedWork<Result>
    ) async throws(DecodeError) -> Result {
        try await submit(priority) { flag, complete in
            /// Decodes the file if `reserved` bytes are sufficient. Otherwise, the job continues with another phase.
            @Sendable func run(_ phase: FilePhase, reserved: Int) -> DecodeJobs.BodyResult {
                do throws(DecodeError) {
                    let access = try InputFile.withBytes(
                        of: path, limits: decoder.options.limits, mapsFile: phase.mapsFile,
                        maxReadBytes: phase.maxReadBytes(reserved: reserved), flag: flag
                    ) { (bytes, memory) throws(DecodeError) -> FileResult<Result> in
                        let prepared = try prepare(bytes, flag)
                        let needed = max(1, prepared.byteCount.addingClamped(memory))
                        return needed <= reserved ? .decoded(try prepared.make(bytes)) : .needs(needed)
                    }
                    switch access {
                    case .done(.decoded(let result)): return .done(complete(.now) { result })
                    case .done(.needs(let byteCount)):
                        guard let next = phase.afterHeader else { throw .changedFile(path) }
                        return proceed(next, byteCount)
                    case .needsMemory(let size):
                        guard phase.mapsFile || reserved == 0 else { throw .changedFile(path) }
                        return proceed(.readHeader, size)
                    }
                } catch {
                    return .done(complete(.refused(error)) { () throws(DecodeError) in throw error })
                }
            }
            @Sendable func proceed(_ phase: FilePhase, _ byteCount: Int) -> DecodeJobs.BodyResult {
                .needs(byteCount) { start in
                    switch start {
                    case .now: run(phase, reserved: byteCount)
                    case .refused(let error): .done(complete(.refused(error)) { () throws(DecodeError) in throw error })
                    }
                }
            }
            return run(mapsFile ? .mapHeader : .readHeader, reserved: 0)
        }
    }
}

extension DecodeQueue {
    private enum FileResult<Result> {
        case decoded(Result)
        /// The decode needs this number of bytes, including those of a file that is read.
        case needs(Int)
    }

    /// A phase of a job that decodes a file. A file that cannot be mapped continues with `readHeader`.
    private enum FilePhase {
        case mapHeader, mapAll
        case readHeader, readAll

        var mapsFile: Bool { self == .mapHeader || self == .mapAll }

        /// The phase after the reservation of the memory for the decode; nil if this is that phase.
        var afterHeader: FilePhase? {
            switch self {
            case .mapHeader: .mapAll
            case .readHeader: .readAll
            case .mapAll, .readAll: nil
            }
        }

        /// The largest file that may be read instead of mapped. The bytes of small files need no reservation before the
        /// header is read.
        func maxReadBytes(reserved: Int) -> Int {
            mapsFile ? InputFile.mappedFrom - 1 : max(reserved, InputFile.mappedFrom - 1)
        }
    }
}
