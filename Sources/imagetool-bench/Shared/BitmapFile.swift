/// Returns a 24-bit BMP file: BITMAPFILEHEADER, BITMAPINFOHEADER, rows padded to a multiple of 4 bytes.
func bitmapFile(width: Int, height: Int) -> [UInt8] {
    let rowBytes = (width * 3 + 3) & ~3
    var file = [UInt8]("BM".utf8)
    func append(_ value: Int, bytes: Int) {
        for index in 0..<bytes { file.append(UInt8(truncatingIfNeeded: value >> (index * 8))) }
    }
    for value in [54 + rowBytes * height, 0, 54, 40, width, height] { append(value, bytes: 4) }
    append(1, bytes: 2)
    append(24, bytes: 2)
    for value in [0, rowBytes * height, 2_835, 2_835, 0, 0] { append(value, bytes: 4) }
    file.reserveCapacity(54 + rowBytes * height)
    for row in 0..<height {
        for column in 0..<rowBytes { file.append(UInt8(truncatingIfNeeded: row ^ column)) }
    }
    return file
}
