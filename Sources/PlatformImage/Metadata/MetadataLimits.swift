/// The remaining allowance of ``DecodeLimits/maxMetadataItem`` and ``DecodeLimits/maxMetadataTotal`` while the metadata
/// of one file is read.
struct MetadataLimits {
    let maxItem: Int
    private var remaining: Int

    init(_ limits: DecodeLimits) {
        maxItem = limits.maxMetadataItem ?? .max
        remaining = limits.maxMetadataTotal ?? .max
    }

    /// The maximum size of the next block, in bytes.
    var maxNext: Int { min(maxItem, remaining) }

    /// Returns the block; nil when it is empty or exceeds a limit.
    mutating func accept(_ block: [UInt8]?) -> [UInt8]? {
        guard let block, !block.isEmpty, block.count <= maxNext else { return nil }
        remaining -= block.count  // trap-free: compared before
        return block
    }

    /// A copy of the bytes of a range; nil when it is empty, outside `bytes`, or exceeds a limit.
    mutating func copy(_ range: Range<Int>, of bytes: Span<UInt8>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count, !range.isEmpty, range.count <= maxNext else {
            return nil
        }
        return accept(bytes.copy(range))
    }
}
