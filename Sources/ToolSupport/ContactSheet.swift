package import PlatformImage

/// Grid of thumbnails on one bitmap.
package struct ContactSheet {
    /// Maximum length of a thumbnail's longer side, in pixels.
    private let side: Int
    /// Width and height of a cell in pixels: `side` plus the space between thumbnails.
    private let pitch: Int
    private static let background = RGBA8(red: 30, green: 32, blue: 36)

    /// Thumbnails per row.
    package let columns: Int
    /// Number of rows.
    package let rows: Int
    private var pixels: [UInt8]
    private var width: Int { columns * pitch }

    /// - Parameters:
    ///   - count: Number of thumbnails, 1 or more.
    ///   - side: Maximum length of a thumbnail's longer side in pixels, 1 or more.
    ///   - columns: Thumbnails per row; `nil` selects a number for which the sheet has an aspect ratio of about 16:10.
    package init(count: Int, side: Int = 44, columns: Int? = nil) {
        precondition(count > 0 && side > 0, "count and side must be 1 or more")
        self.side = side
        pitch = Self.pitch(side: side)
        self.columns = columns ?? Self.columns(for: count)
        rows = (count + self.columns - 1) / self.columns
        let background = [Self.background.red, Self.background.green, Self.background.blue, 255]
        let count = self.columns * rows * pitch * pitch
        pixels = [UInt8](unsafeUninitializedCapacity: count * 4) { bytes, written in
            for index in 0..<count * 4 { bytes[index] = background[index & 3] }
            written = count * 4
        }
    }

    package static func pitch(side: Int) -> Int { side + max(4, side / 16) }

    package static func columns(for count: Int) -> Int {
        var columns = 1
        while columns * columns * 5 < count * 8 { columns += 1 }
        return columns
    }

    /// Draws an image in the centre of the cell with the given index, from 0. An image whose longer side exceeds `side`
    /// is reduced; an image whose longer side is at most half of `side` is enlarged by an integer factor.
    package mutating func draw(_ bitmap: Bitmap, at index: Int) throws(DecodeError) {
        var options = ThumbnailOptions(width: side, height: side)
        let scale = side / max(bitmap.width, bitmap.height)
        if scale > 1 {
            options = ThumbnailOptions(width: bitmap.width * scale, height: bitmap.height * scale, fit: .fill)
            options.allowsUpscaling = true
            options.filter = .nearest
        }
        options.background = Self.background
        let small = try bitmap.thumbnail(options: options)
        let left = index % columns * pitch + (pitch - small.width) / 2
        let top = index / columns * pitch + (pitch - small.height) / 2
        for y in 0..<small.height {
            let start = ((top + y) * width + left) * 4
            small.withRow(y) { row in
                for at in 0..<row.count { pixels[start + at] = row[at] }
            }
        }
    }

    /// Copy of the sheet's pixels.
    package var bitmap: Bitmap {
        Bitmap(width: width, height: rows * pitch) { span in
            for index in pixels.indices { span[index] = pixels[index] }
        }
    }
}
