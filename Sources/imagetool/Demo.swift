import PlatformImage

/// The table of `imagetool demo`: each file decoded as a viewer shows it.
struct Demo {
    private var table = Table([
        ("file", .left), ("format", .left), ("size", .right), ("frames", .right), ("status", .left), ("ms", .right),
        ("MB", .right),
    ])
    private let decoder = ImageDecoder()
    private var whole = 0
    private var partial = 0
    private var refused = 0
    private var milliseconds = 0.0
    private var pixels = 0
    private var decodedBytes = 0

    /// Decodes the file and adds its row; one that fails gets a row too.
    mutating func add(_ file: String, in folder: String) {
        do {
            let bytes = try readInput("\(folder)/\(file)", limit: decoder.options.limits.maxInputBytes)
            try withFailure { try add(file, bytes) }
        } catch let failure as Failure {
            let code = failure.reason.prefix { $0 != ":" }
            refused += 1
            table.append([file, "-", "-", "-", String(code), "-", "-"])
        } catch {
            preconditionFailure("decoding throws nothing but decode errors: \(error)")
        }
    }

    private mutating func add(_ file: String, _ bytes: [UInt8]) throws {
        let header = try decoder.header(of: bytes)
        var decoded: DecodedImage?
        let elapsed = try Elapsed.time { decoded = try decoder.decode(bytes) }
        guard let decoded else { return }
        let bitmap = decoded.bitmap
        milliseconds += elapsed.wall / 1e6
        pixels += bitmap.width * bitmap.height
        decodedBytes += bitmap.byteCount
        if decoded.status == .complete { whole += 1 } else { partial += 1 }
        table.append([
            file, header.format.rawValue, "\(bitmap.width)x\(bitmap.height)",
            header.frameCount.map { String($0) } ?? "?", Self.name(of: decoded.status),
            fixed(elapsed.wall / 1e6, digits: 3), fixed(Double(bitmap.byteCount) / 1e6, digits: 3),
        ])
    }

    /// The table and a line of totals.
    var text: String {
        table.text + """

            \(whole + partial + refused) files: \(whole) whole, \(partial) in part, \(refused) refused; \
            \(fixed(milliseconds, digits: 1)) ms, \(fixed(Double(pixels) / 1e6, digits: 2)) megapixels, \
            \(fixed(Double(decodedBytes) / 1e6, digits: 2)) MB

            """
    }

    private static func name(of status: DecodeStatus) -> String {
        switch status {
        case .complete: "complete"
        case .truncated(let rows): "truncated(rows \(rows))"
        case .corrupt(let warnings): "corrupt(\(warnings.map(\.description).joined(separator: ", ")))"
        }
    }
}
