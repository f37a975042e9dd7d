// The bridge to the resampler, which is written in C.

internal import CImageCodecs

/// A streaming resampler: rows are pushed from the top.
@safe final class RowResampler {
    private let handle: OpaquePointer
    private let storage: PixelStorage
    private let flag: CancellationFlag?
    private let sourceRowBytes: Int
    private let stride: Int

    /// - Parameters:
    ///   - storage: Storage of the resampled size; it must not be read before the last row was pushed.
    ///   - flag: Stops the writing of rows when raised; the caller polls the flag to detect this.
    ///   - isPortable: Disables AVX2, with identical results; for tests.
    /// - Throws: `outOfMemory`. A request that is out of range, or whose result does not fit `storage`, is a
    ///   programming error and traps.
    init(
        _ request: ResampleRequest, into storage: PixelStorage, flag: CancellationFlag? = nil, isPortable: Bool = false
    ) throws(DecodeError) {
        precondition(
            storage.byteCount == request.width * request.height * 4, "the storage must have the resampled size")
        var resample = imgc_resample_request(resampling: request)
        if isPortable { resample.flags |= UInt32(IMGC_RESAMPLE_PORTABLE) }
        var resamplerPointer: OpaquePointer?
        let status = unsafe imgc_resampler_create(&resample, &resamplerPointer)
        precondition(
            status != IMGC_ERROR_INVALID_ARGUMENT, "the resample request contains a value that is out of range")
        guard let handle = unsafe resamplerPointer, status == IMGC_OK else {
            throw DecodeError(.outOfMemory, "out of memory: resampler for \(request.width) x \(request.height) pixels")
        }
        if let flag { unsafe imgc_resampler_watch(handle, flag.pointer) }
        unsafe self.handle = handle
        self.storage = storage
        self.flag = flag
        sourceRowBytes = request.sourceWidth * 4
        stride = request.width * 4
    }

    deinit { unsafe imgc_resampler_destroy(handle) }

    /// Pushes the next source row, RGBA8, and writes the result rows that it completes.
    func push(_ row: Span<UInt8>) {
        precondition(row.count == sourceRowBytes, "the row must have the source's width")
        unsafe storage.withMutablePointer { pixels in
            let pixels = unsafe pixels.assumingMemoryBound(to: UInt8.self)
            unsafe row.withUnsafeBufferPointer { row in
                _ = unsafe imgc_resampler_push(handle, row.baseAddress, pixels, stride)
            }
        }
    }

    /// Source rows that contribute to the result; rows from the upper bound on need not be pushed.
    var sourceRows: Range<Int> {
        var first: UInt32 = 0
        var end: UInt32 = 0
        unsafe imgc_resampler_rows(handle, &first, &end)
        return Int(first)..<Int(end)
    }

    /// The memory of a resampler in bytes; 0 for a request out of range.
    static func byteCount(_ request: ResampleRequest) -> Int {
        var resample = imgc_resample_request(resampling: request)
        return unsafe Int(clamping: imgc_resampler_bytes(&resample))
    }
}
