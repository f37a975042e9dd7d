// All functions with file paths. The other parts of the module decode bytes in memory.

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
            try header(of: bytes, as: contentType, cancellation: cancellation)
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
            try decode(bytes, as: contentType, cancellation: cancellation)
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
            try thumbnail(of: bytes, options: options, as: contentType, cancellation: cancellation)
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
            try thumbnails(of: bytes, options: options, as: contentType, cancellation: cancellation)
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
        let bytes = try withBytes(of: path, false, cancellation) { (bytes, _) throws(DecodeError) in
            [UInt8](bytes)
        }
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
    /// file is opened again. The reservation includes the bytes of a file that is read, not those of a mapped file.
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
                let prepared = try decoder.prepare(bytes, as: contentType, cancellation: flag)
                return (prepared, prepared.byteCount)
            },
            make: { (prepared, bytes) throws(DecodeError) in try decoder.decode(prepared, bytes) })
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
                let prepared = try PreparedThumbnail(
                    bytes, declared: contentType, decoder: decoder, options: options, flag: flag)
                return (prepared, prepared.byteCount)
            },
            make: { (prepared, bytes) throws(DecodeError) in try decoder.thumbnail(prepared, bytes) })
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
                let batch = try ThumbnailBatch(
                    bytes, declared: contentType, decoder: decoder, options: options, flag: flag)
                if let error = batch.firstError { throw error }
                return (batch, batch.byteCount)
            },
            make: { (batch, bytes) throws(DecodeError) in try decoder.thumbnails(batch, bytes).images() })
    }

    /// Reads the header of a file, reserves memory, opens the file again and decodes it.
    private func run<Prepared, Result: Sendable>(
        _ path: String, _ mapsFile: Bool, _ decoder: ImageDecoder, _ priority: Priority,
        prepare: @escaping @Sendable (Span<UInt8>, CancellationFlag) throws(DecodeError) -> (Prepared, byteCount: Int),
        make: @escaping @Sendable (Prepared, Span<UInt8>) throws(DecodeError) -> Result
    ) async throws(DecodeError) -> Result {
        try await submit(priority) { flag, complete in
            do throws(DecodeError) {
                let reserved = try decoder.withBytes(of: path, mapsFile, flag) { (bytes, memory) throws(DecodeError) in
                    max(1, try prepare(bytes, flag).byteCount.addingClamped(memory))
                }
                return .needs(reserved) { start in
                    complete(start) { () throws(DecodeError) in
                        try decoder.withBytes(of: path, mapsFile, flag) { (bytes, memory) throws(DecodeError) in
                            let (prepared, byteCount) = try prepare(bytes, flag)
                            guard byteCount.addingClamped(memory) <= reserved else { throw .changedFile(path) }
                            return try make(prepared, bytes)
                        }
                    }
                }
            } catch {
                return .done(complete(.refused(error)) { () throws(DecodeError) in throw error })
            }
        }
    }
}
