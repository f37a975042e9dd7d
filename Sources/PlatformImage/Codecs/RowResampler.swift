internal import CImageCodecs

/// A resampler that rows made in Swift are pushed into, the top one first.
@safe struct RowResampler: ~Copyable {
    private let handle: OpaquePointer
    private let storage: PixelStorage
    private let flag: CancellationFlag?
    private let sourceRowBytes: Int
    private let stride: Int

    /// - Parameters:
    ///   - storage: Of the resampled size; nobody else reads it before the last row was pushed.
    ///   - flag: Ends the writing of rows when raised; who pushes polls it to know.
    ///   - isPortable: Without AVX2, with the same result: for tests.
    /// - Throws: `outOfMemory`. A request out of range or for other storage is a caller's error and traps.
    init(
        _ request: ResampleRequest, into storage: PixelStorage, flag: CancellationFlag? = nil, isPortable: Bool = false
    ) throws(DecodeError) {
        precondition(storage.byteCount == request.width * request.height * 4, "storage of the resampled size")
        var resample = imgc_resample_request(resampling: request)
        if isPortable { resample.flags |= UInt32(IMGC_RESAMPLE_PORTABLE) }
        var made: OpaquePointer?
        let status = unsafe imgc_resampler_create(&resample, &made)
        precondition(status != IMGC_ERROR_INVALID_ARGUMENT, "a request in range")
        guard let handle = unsafe made, status == IMGC_OK else {
            throw DecodeError(.outOfMemory, "no memory to resample to \(request.width) x \(request.height)")
        }
        if let flag { unsafe imgc_resampler_watch(handle, flag.handle) }
        unsafe self.handle = handle
        self.storage = storage
        self.flag = flag
        sourceRowBytes = request.sourceWidth * 4
        stride = request.width * 4
    }

    deinit { unsafe imgc_resampler_destroy(handle) }

    /// Takes the next row of the source, RGBA8; rows of the result that become complete are written.
    func push(_ row: Span<UInt8>) {
        precondition(row.count == sourceRowBytes, "a whole row")
        unsafe storage.withMutablePointer { pixels in
            let pixels = unsafe pixels.assumingMemoryBound(to: UInt8.self)
            unsafe row.withUnsafeBufferPointer { row in
                _ = unsafe imgc_resampler_push(handle, row.baseAddress, pixels, stride)
            }
        }
    }

    /// Rows of the source that matter; those from the upper bound on need not be pushed.
    var sourceRows: Range<Int> {
        var first: UInt32 = 0
        var end: UInt32 = 0
        unsafe imgc_resampler_rows(handle, &first, &end)
        return Int(first)..<Int(end)
    }

    /// What a resampler holds, in bytes; of a request out of range 0.
    static func byteCount(_ request: ResampleRequest) -> Int {
        var resample = imgc_resample_request(resampling: request)
        return unsafe Int(clamping: imgc_resampler_bytes(&resample))
    }
}
