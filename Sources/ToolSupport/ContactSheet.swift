package import PlatformImage

/// Small copies of many pictures, side by side.
package struct ContactSheet {
    /// Pixels of the longer side of a picture, at most.
    private let side: Int
    /// Pixels from one picture to the next.
    private let pitch: Int
    private static let paper = RGBA8(red: 30, green: 32, blue: 36)

    /// Pictures in a row.
    package let columns: Int
    /// Rows of pictures.
    package let rows: Int
    private var pixels: [UInt8]
    private var width: Int { columns * pitch }

    /// - Parameters:
    ///   - count: Places for pictures, 1 or more.
    ///   - side: Pixels of the longer side of a picture, at most; 1 or more.
    ///   - columns: Pictures in a row; nil for a sheet that is wider than high, as a screen is.
    package init(count: Int, side: Int = 44, columns: Int? = nil) {
        precondition(count > 0 && side > 0, "a sheet has a picture")
        self.side = side
        pitch = Self.pitch(side: side)
        self.columns = columns ?? Self.columns(for: count)
        rows = (count + self.columns - 1) / self.columns
        let paper = [Self.paper.red, Self.paper.green, Self.paper.blue, 255]
        let count = self.columns * rows * pitch * pitch
        pixels = [UInt8](unsafeUninitializedCapacity: count * 4) { bytes, written in
            for index in 0..<count * 4 { bytes[index] = paper[index & 3] }
            written = count * 4
        }
    }

    package static func pitch(side: Int) -> Int { side + max(4, side / 16) }

    package static func columns(for count: Int) -> Int {
        var columns = 1
        while columns * columns * 5 < count * 8 { columns += 1 }
        return columns
    }

    /// Puts a picture in the middle of a place, from 0: a large one shrunk, a small one enlarged by a whole number.
    package mutating func draw(_ bitmap: Bitmap, at place: Int) throws(DecodeError) {
        var options = ThumbnailOptions(width: side, height: side)
        let scale = side / max(bitmap.width, bitmap.height)
        if scale > 1 {
            options = ThumbnailOptions(width: bitmap.width * scale, height: bitmap.height * scale, fit: .fill)
            options.allowsUpscaling = true
            options.filter = .nearest
        }
        options.background = Self.paper
        let small = try bitmap.thumbnail(options: options)
        let left = place % columns * pitch + (pitch - small.width) / 2
        let top = place / columns * pitch + (pitch - small.height) / 2
        for y in 0..<small.height {
            let start = ((top + y) * width + left) * 4
            small.withRow(y) { row in
                for at in 0..<row.count { pixels[start + at] = row[at] }
            }
        }
    }

    /// The sheet.
    package var bitmap: Bitmap {
        Bitmap(width: width, height: rows * pitch) { span in
            for index in pixels.indices { span[index] = pixels[index] }
        }
    }
}
