import PlatformImage
import Testing

@testable import PlatformImageToolSupport

/// The layout of images on a contact sheet.
@Suite struct ContactSheetTests {
    private static let paper = RGBA8(red: 30, green: 32, blue: 36)

    private func flat(_ width: Int, _ height: Int, _ color: RGBA8) -> Bitmap {
        Bitmap(width: width, height: height) { pixels in
            for at in 0..<pixels.count {
                pixels[at] = [color.red, color.green, color.blue, color.alpha][at & 3]
            }
        }
    }

    /// The bounding box of the pixels that differ from the background, and whether it is full; nil for none.
    private func drawnBounds(_ bitmap: Bitmap) -> (x: Int, y: Int, width: Int, height: Int, isFull: Bool)? {
        var (left, top, right, bottom, count) = (Int.max, Int.max, -1, -1, 0)
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width where bitmap[x, y] != Self.paper {
                (left, right) = (min(left, x), max(right, x))
                (top, bottom) = (min(top, y), max(bottom, y))
                count += 1
            }
        }
        guard count > 0 else { return nil }
        let (width, height) = (right - left + 1, bottom - top + 1)
        return (left, top, width, height, count == width * height)
    }

    @Test func cellPitchIsTheSidePlusTheMargin() {
        for (side, pitch) in [(1, 5), (44, 48), (64, 68), (79, 83), (80, 85), (128, 136), (4096, 4352)] {
            #expect(ContactSheet.pitch(side: side) == pitch)
        }
    }

    @Test func sheetIsWiderThanHighAndHasNoEmptyRow() {
        for count in 1...2_000 {
            let columns = ContactSheet.columns(for: count)
            let rows = (count + columns - 1) / columns
            #expect(columns > rows, "\(count)")
            #expect((rows - 1) * columns < count && count <= rows * columns, "\(count)")
            // The smallest number of columns for which the ratio of columns to rows, columns / (count / columns), is
            // at least 8 / 5.
            #expect(columns * columns * 5 >= count * 8, "\(count)")
            #expect((columns - 1) * (columns - 1) * 5 < count * 8, "\(count)")
        }
    }

    @Test func sheetHasACellForEveryImage() {
        let rows: [(count: Int, side: Int, columns: Int?, width: Int, height: Int)] = [
            (1, 44, nil, 2, 1), (1, 44, 1, 1, 1), (2, 44, nil, 2, 1), (3, 44, nil, 3, 1), (3, 20, 2, 2, 2),
            (5, 20, nil, 3, 2), (5, 20, 1, 1, 5), (5, 20, 5, 5, 1), (5, 20, 9, 9, 1), (7, 100, 3, 3, 3),
            (16, 1, 4, 4, 4), (17, 1, 4, 4, 5),
        ]
        for row in rows {
            let sheet = ContactSheet(count: row.count, side: row.side, columns: row.columns)
            let pitch = ContactSheet.pitch(side: row.side)

            #expect(sheet.columns == row.width && sheet.rows == row.height, "\(row)")
            let bitmap = sheet.bitmap
            #expect(bitmap.width == row.width * pitch && bitmap.height == row.height * pitch, "\(row)")
            #expect(drawnBounds(bitmap) == nil, "\(row)")
        }
    }

    @Test func imageIsScaledAndCenteredInItsCell() throws {
        // A large image is reduced to the side length of the cell; a small image is enlarged by an integer factor.
        let rows: [(side: Int, width: Int, height: Int, drawnWidth: Int, drawnHeight: Int)] = [
            (32, 2, 2, 32, 32), (16, 3, 5, 9, 15), (16, 5, 3, 15, 9), (16, 16, 16, 16, 16), (16, 16, 3, 16, 3),
            (16, 9, 8, 9, 8), (16, 8, 8, 16, 16), (10, 40, 20, 10, 5), (10, 20, 40, 5, 10), (10, 100, 1, 10, 1),
            (10, 1, 100, 1, 10), (7, 1, 1, 7, 7), (1, 1, 1, 1, 1), (1, 50, 50, 1, 1), (100, 101, 101, 100, 100),
        ]
        for row in rows {
            var sheet = ContactSheet(count: 1, side: row.side, columns: 1)
            try sheet.draw(flat(row.width, row.height, RGBA8(red: 200, green: 100, blue: 50)), at: 0)

            let pitch = ContactSheet.pitch(side: row.side)
            let box = try #require(drawnBounds(sheet.bitmap), "\(row)")
            #expect(box.isFull, "\(row)")
            #expect(box.width == row.drawnWidth && box.height == row.drawnHeight, "\(row): \(box)")
            #expect(box.x == (pitch - row.drawnWidth) / 2 && box.y == (pitch - row.drawnHeight) / 2, "\(row): \(box)")
        }
    }

    /// The sheet has five images in rows of three; the last cell is empty.
    @Test func imagesFillTheSheetInRowOrder() throws {
        let (side, count) = (20, 5)
        let pitch = ContactSheet.pitch(side: side)
        func color(_ place: Int) -> RGBA8 { RGBA8(red: UInt8(100 + place), green: 0, blue: UInt8(200 - place)) }
        for order in [Array(0..<count), Array((0..<count).reversed())] {
            var sheet = ContactSheet(count: count, side: side, columns: 3)
            for place in order { try sheet.draw(flat(20, 20, color(place)), at: place) }

            let bitmap = sheet.bitmap
            for y in 0..<bitmap.height {
                for x in 0..<bitmap.width {
                    let place = y / pitch * 3 + x / pitch
                    let isInside = (2..<22).contains(x % pitch) && (2..<22).contains(y % pitch) && place < count
                    if bitmap[x, y] != (isInside ? color(place) : Self.paper) {
                        Issue.record("(\(x), \(y)) is \(bitmap[x, y])")
                        return
                    }
                }
            }
        }
    }

    @Test func imageEnlargedInItsCellIsNotSmoothed() throws {
        let colors = [RGBA8(red: 255, green: 0, blue: 0), RGBA8(red: 0, green: 0, blue: 255)]
        let pair = Bitmap(width: 2, height: 1) { pixels in
            for at in 0..<pixels.count {
                let color = colors[at / 4]
                pixels[at] = [color.red, color.green, color.blue, color.alpha][at & 3]
            }
        }
        var sheet = ContactSheet(count: 1, side: 9, columns: 1)
        try sheet.draw(pair, at: 0)

        let bitmap = sheet.bitmap
        // The image covers 8 x 4 pixels of a cell of 13 x 13 pixels.
        for y in 4..<8 { for x in 2..<10 { #expect(bitmap[x, y] == colors[x < 6 ? 0 : 1], "(\(x), \(y))") } }
    }

    @Test func transparentPixelsShowTheBackgroundColorOfTheSheet() throws {
        for (width, side) in [(8, 8), (2, 8), (64, 8)] {
            var sheet = ContactSheet(count: 2, side: side, columns: 2)
            try sheet.draw(flat(width, width, RGBA8(red: 255, green: 255, blue: 255, alpha: 0)), at: 0)
            #expect(drawnBounds(sheet.bitmap) == nil, "\(width)")
            try sheet.draw(flat(width, width, RGBA8(red: 255, green: 255, blue: 255, alpha: 128)), at: 1)
            let mixed = sheet.bitmap[ContactSheet.pitch(side: side) + 6, 6]
            #expect(mixed.alpha == 255, "\(width)")
            // Half-transparent white over the background, except for rounding.
            #expect(abs(Int(mixed.red) - 143) <= 1 && abs(Int(mixed.blue) - 146) <= 1, "\(width): \(mixed)")
        }
    }

    @Test func sheetWithoutImagesTraps() async {
        await #expect(processExitsWith: .failure) { _ = ContactSheet(count: 0) }
        await #expect(processExitsWith: .failure) { _ = ContactSheet(count: 1, side: 0) }
    }
}

/// `imagetool contact-sheet`.
@Suite struct ContactSheetCommandTests {
    @Test func folderWithoutImagesExitsWith64WithoutASheet() throws {
        let (empty, folder) = (try TemporaryFolder(), try TemporaryFolder())

        let run = try ToolRun("contact-sheet", "-r", empty.path, "-o", folder.path("sheet.png"))

        #expect(run.exitCode == 64)
        #expect(try folder.names.isEmpty)
    }

    @Test func contactSheetOfOneImageHasTwoCells() throws {
        let folder = try TemporaryFolder()
        let source = try folder.write(smallBitmap, to: "a.bmp")

        let run = try ToolRun("contact-sheet", source, "-s", "10", "-o", folder.path("sheet.png"))

        #expect(run.exitCode == 0, "\(run.errors)")
        let sheet = try ImageDecoder().decode(try folder.read("sheet.png")).bitmap
        // Two cells; the second is empty.
        #expect(sheet.width == 28 && sheet.height == 14)
        #expect(sheet[2, 2] == RGBA8(red: 255, green: 0, blue: 0))
        #expect(sheet[11, 11] == RGBA8(red: 255, green: 255, blue: 255))
        #expect(sheet[12, 12] == sheet[21, 7])
    }
}
