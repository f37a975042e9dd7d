extension BMPHeader {
    /// Decodes the image resampled into `storage`; see ``SourceImage/decode(_:resampledBy:into:_:)``.
    func decode(
        _ bytes: Span<UInt8>, resampledBy request: ResampleRequest, into storage: PixelStorage,
        options: DecodeOptions, flag: CancellationFlag?, damage: inout Damage
    ) throws(DecodeError) {
        switch pixels {
        case .rows(let rows):
            try check(request, storage, options.limits)
            try rows.decode(bytes, resampledBy: request, into: storage, flag: flag, damage: &damage)
        case .runs(let runs):
            // Run-length codes can skip rows, and the bottom row is usually stored first, so all pixels are decoded
            // before the resampling starts.
            try check(request, storage, options.limits)
            let grid = runs.grid
            guard let full = PixelStorage(byteCount: grid.height * grid.bytesPerRow, zeroed: false) else {
                throw DecodeError(.outOfMemory, format: .bmp, "out of memory: \(grid.width) x \(grid.height) pixels")
            }
            try full.withMutableBytes { (pixels) throws(DecodeError) in
                try runs.decode(bytes, onto: &pixels, flag: flag, damage: &damage)
            }
            let resampler = try RowResampler(request, into: storage, flag: flag)
            try full.withBytes { (pixels) throws(DecodeError) in
                for y in 0..<grid.height {
                    if y % 16 == 0 { try flag?.poll(format: .bmp) }
                    resampler.push(pixels.extracting(y * grid.bytesPerRow..<(y + 1) * grid.bytesPerRow))
                }
            }
            // The resampler writes no rows after the flag was raised: this poll rejects an incomplete result.
            try flag?.poll(format: .bmp)
        case .embedded(let embedded):
            var call = embedded.call
            call.flag = flag
            call.resamples = true
            try call.decode(
                bytes.extracting(embedded.range), resampledTo: [(request, storage)], skipping: [], damage: &damage)
        }
    }

    /// An upper estimate, in bytes, of the memory that the resampling decode needs in addition to its result.
    func resampledByteCount(_ request: ResampleRequest) -> Int {
        let grid: BMPGrid
        let rows: Int
        switch pixels {
        case .rows(let layout): (grid, rows) = (layout.grid, 1)
        case .runs(let layout): (grid, rows) = (layout.grid, layout.grid.height)
        case .embedded(let layout): return layout.codecHeader.resampledByteCount(request)
        }
        // The size of the grid was checked when the header was parsed: the product cannot overflow.
        let pixels = PixelStorage.allocatedByteCount(rows * grid.bytesPerRow) + BMPGrid.workByteCount
        let (sum, overflows) = pixels.addingReportingOverflow(RowResampler.byteCount(request))
        return overflows ? .max : sum
    }

    private func check(
        _ request: ResampleRequest, _ storage: PixelStorage, _ limits: DecodeLimits
    ) throws(DecodeError) {
        let (requiredBytes, overflows) = resampledByteCount(request).addingReportingOverflow(storage.byteCount)
        guard let limit = limits.maxMemory, overflows || requiredBytes > limit else { return }
        throw DecodeError(
            .limitExceeded, format: .bmp, detail: "maxMemory",
            "bmp: \(requiredBytes) bytes of memory exceed the limit of \(limit) bytes")
    }
}
