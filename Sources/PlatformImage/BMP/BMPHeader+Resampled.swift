extension BMPHeader {
    /// Decodes the image once and resamples it to each output; see ``SourceImage/decode(_:resampledTo:_:)``.
    func decode(
        _ bytes: Span<UInt8>, resampledTo outputs: [(request: ResampleRequest, storage: PixelStorage)],
        options: DecodeOptions, flag: CancellationFlag?, damage: inout Damage
    ) throws(DecodeError) {
        switch pixels {
        case .rows(let rows):
            try check(outputs, options.limits)
            try rows.decode(bytes, resampledTo: outputs, flag: flag, damage: &damage)
        case .runs(let runs):
            // Run-length codes can skip rows, and the bottom row is usually stored first, so all pixels are decoded
            // before the resampling starts.
            try check(outputs, options.limits)
            let grid = runs.grid
            guard let full = PixelStorage(byteCount: grid.height * grid.bytesPerRow, zeroed: false) else {
                throw DecodeError(.outOfMemory, format: .bmp, "out of memory: \(grid.width) x \(grid.height) pixels")
            }
            try full.withMutableBytes { (pixels) throws(DecodeError) in
                try runs.decode(bytes, onto: &pixels, flag: flag, damage: &damage)
            }
            var resamplers: [RowResampler] = []
            for (request, storage) in outputs {
                resamplers.append(try RowResampler(request, into: storage, flag: flag))
            }
            try full.withBytes { (pixels) throws(DecodeError) in
                for y in 0..<grid.height {
                    if y % 16 == 0 { try flag?.poll(format: .bmp) }
                    let row = pixels.extracting(y * grid.bytesPerRow..<(y + 1) * grid.bytesPerRow)
                    for resampler in resamplers { resampler.push(row) }
                }
            }
            // The resampler writes no rows after the flag was raised: this poll rejects an incomplete result.
            try flag?.poll(format: .bmp)
        case .embedded(let embedded):
            var call = embedded.call
            call.flag = flag
            call.resamples = true
            try call.decode(bytes.extracting(embedded.range), resampledTo: outputs, skipping: [], damage: &damage)
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

    /// An upper estimate of the work of a decode without resampling, in the unit of ``DecodeLimits/maxWork``; 0 for an
    /// embedded file, whose codec counts its work. A run-length code of two bytes can draw no pixel.
    func work(of bytes: Span<UInt8>) -> Int {
        switch pixels {
        case .rows(let rows): rows.grid.height * rows.grid.width * 4
        case .runs(let runs): (runs.grid.height * runs.grid.width * 2).addingClamped(bytes.count * 6)
        case .embedded: 0
        }
    }

    private func check(
        _ outputs: [(request: ResampleRequest, storage: PixelStorage)], _ limits: DecodeLimits
    ) throws(DecodeError) {
        guard let limit = limits.maxMemory else { return }
        let requiredBytes = outputs.enumerated().reduce(0) { sum, output in
            let (request, storage) = output.element
            let work = output.offset == 0 ? resampledByteCount(request) : RowResampler.byteCount(request)
            return sum.addingClamped(work).addingClamped(storage.byteCount)
        }
        guard requiredBytes > limit else { return }
        throw DecodeError(
            .limitExceeded, format: .bmp, detail: "maxMemory",
            "bmp: \(requiredBytes) bytes of memory exceed the limit of \(limit) bytes")
    }
}
