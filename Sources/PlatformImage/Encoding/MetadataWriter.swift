/// Inserts metadata and a profile into encoded files.
struct MetadataWriter {
    /// A part that is inserted or appended, in bytes of the file format.
    struct Parts {
        /// Inserted after the header of the file.
        var head: [UInt8] = []
        /// Appended to the file.
        var tail: [UInt8] = []
        /// Bits for the flags of WebP's VP8X chunk.
        var webPFlags: UInt8 = 0
    }

    let format: EncodedFormat
    let width: Int
    let height: Int
    private(set) var parts = Parts()

    /// Writes the blocks of `metadata` and a profile in the form of a file of this size.
    init(_ metadata: PreparedMetadata, profile: [UInt8]?, format: EncodedFormat) {
        self.format = format
        width = metadata.request.width
        height = metadata.request.height
        let blocks = metadata.metadata(for: format)
        switch format {
        case .png: parts = Self.pngParts(blocks, profile)
        case .jpeg: parts = Self.jpegParts(blocks, profile)
        case .webp: parts = Self.webPParts(blocks, profile)
        case .gif: break
        }
    }

    /// True when the file is written without changes.
    var isEmpty: Bool { parts.head.isEmpty && parts.tail.isEmpty }

    /// The maximum number of bytes by which ``insert(into:)`` enlarges a file.
    var byteCount: Int {
        isEmpty ? 0 : parts.head.count + parts.tail.count + (format == .webp ? Self.webPHeaderByteCount : 0)
    }

    /// The file with the blocks; unchanged when there are none.
    func insert(into file: [UInt8]) -> [UInt8] {
        guard !isEmpty else { return file }
        switch format {
        case .png: return insertAfter(Self.pngHeaderByteCount, of: file)
        case .jpeg: return insertAfter(Self.jpegHeaderByteCount(file), of: file)
        case .webp: return insertIntoWebP(file)
        case .gif: return file
        }
    }

    private func insertAfter(_ count: Int, of file: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(file.count + byteCount)
        result += file[..<count]
        result += parts.head
        result += file[count...]
        return result
    }
}
