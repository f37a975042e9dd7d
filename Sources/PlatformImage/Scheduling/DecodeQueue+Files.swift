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
                return try decoder.work(.decode, bytes, as: contentType, flag)
            }
        ).first()
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
                return try decoder.work(.thumbnail(options), bytes, as: contentType, flag)
            }
        ).first()
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
                return try decoder.work(.thumbnails(options, isComplete: true), bytes, as: contentType, flag)
            }
        ).images()
    }

    /// Reads the header of a file, reserves memory, opens the file again and decodes it.
    private func run(
        _ path: String, _ mapsFile: Bool, _ decoder: ImageDecoder, _ priority: Priority,
        prepare: @escaping @Sendable (Span<UInt8>, CancellationFlag) throws(DecodeError) -> PreparedWork
    ) async throws(DecodeError) -> ThumbnailResults {
        try await submit(priority) { flag, complete in
            /// Decodes the file if `reserved` bytes are sufficient. Otherwise, the job continues with another phase.
            @Sendable func run(_ phase: FilePhase, reserved: Int) -> DecodeJobs.BodyResult {
                do throws(DecodeError) {
                    let access = try InputFile.withBytes(
                        of: path, limits: decoder.options.limits, mapsFile: phase.mapsFile,
                        maxReadBytes: phase.maxReadBytes(reserved: reserved), flag: flag
                    ) { (bytes, memory) throws(DecodeError) -> FileResult in
                        let prepared = try prepare(bytes, flag)
                        let needed = max(1, prepared.byteCount.addingClamped(memory))
                        return needed <= reserved ? .decoded(try prepared.images(bytes)) : .needs(needed)
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
    private enum FileResult {
        case decoded(ThumbnailResults)
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
