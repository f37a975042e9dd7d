extension DecodeQueue {
    /// Reads the header of a file, reserves memory, opens the file again and decodes it.
    func make<Made: Sendable>(
        _ file: FileSource, _ limits: DecodeLimits, _ priority: Priority, prepare: @escaping Preparation,
        _ images: @escaping @Sendable (PreparedWork, Span<UInt8>) throws(DecodeError) -> Made
    ) async throws(DecodeError) -> Made {
        try await submit(priority) { flag, complete in
            /// Decodes the file if `reserved` bytes are sufficient. Otherwise, the job continues with another phase.
            @Sendable func run(_ phase: FilePhase, reserved: Int) -> DecodeJobs.BodyResult {
                do throws(DecodeError) {
                    let access = try InputFile.withBytes(
                        of: file.place, limits: limits, mapsFile: phase.mapsFile,
                        maxReadBytes: phase.maxReadBytes(reserved: reserved), flag: flag
                    ) { (bytes, memory) throws(DecodeError) -> FileResult<Made> in
                        let open = OpenSource(fileName: file.place.name)
                        let work = try prepare(bytes, open, flag)
                        let needed = max(1, work.byteCount.addingClamped(memory))
                        return needed <= reserved ? .decoded(try images(work, bytes)) : .needs(needed)
                    }
                    switch access {
                    case .done(.decoded(let result)): return .done(complete(.now) { result })
                    case .done(.needs(let byteCount)):
                        guard let next = phase.afterHeader else { throw .changedFile(file.place) }
                        return proceed(next, byteCount)
                    case .needsMemory(let size):
                        guard phase.mapsFile || reserved == 0 else { throw .changedFile(file.place) }
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
            return run(file.mapsFile ? .mapHeader : .readHeader, reserved: 0)
        }
    }
}

extension DecodeQueue {
    private enum FileResult<Made> {
        case decoded(Made)
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
