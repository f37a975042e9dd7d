// Compression of metadata with libdeflate.

internal import CImageCodecs

extension Span<UInt8> {
    /// The bytes of a zlib stream; nil when it is damaged, empty or longer than `limit`, or when memory is exhausted.
    ///
    /// The memory grows with the result: no size that the stream claims is used.
    func zlibDecompressed(limit: Int) -> [UInt8]? {
        // The maximum ratio of deflate is 1,032.
        let most = Swift.min(limit, count.multipliedReportingOverflow(by: 1_032).partialValue)
        guard count > 0, most > 0 else { return nil }
        var capacity = Swift.min(most, count * 4 + 1_024)
        while true {
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
                filled = unsafe withUnsafeBufferPointer { stream in
                    unsafe imgc_zlib_decompress(stream.baseAddress, stream.count, buffer.baseAddress, capacity)
                }
            }
            if !bytes.isEmpty { return bytes }
            guard capacity < most else { return nil }
            capacity = capacity > most / 4 ? most : capacity * 4
        }
    }

    /// The CRC-32 of PNG.
    var crc32: UInt32 { unsafe withUnsafeBufferPointer { unsafe imgc_crc32($0.baseAddress, $0.count) } }
}

extension [UInt8] {
    /// The bytes as a zlib stream; nil when memory is exhausted.
    func zlibCompressed() -> [UInt8]? {
        let bound = imgc_zlib_bound(count)
        let stream = unsafe [UInt8](unsafeUninitializedCapacity: bound) { buffer, filled in
            filled = unsafe withUnsafeBufferPointer { bytes in
                unsafe imgc_zlib_compress(bytes.baseAddress, bytes.count, buffer.baseAddress, bound)
            }
        }
        return stream.isEmpty ? nil : stream
    }
}
