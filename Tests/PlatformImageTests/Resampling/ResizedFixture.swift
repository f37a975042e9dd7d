import Foundation
import PlatformImageTestSupport

@testable import PlatformImage

/// The expected result of resizing a fixture, computed by `Fixtures/make/resize.py`.
struct ResizedFixture: Decodable {
    let width: Int
    let height: Int
    let filter: String
    /// Left, top, width, height; nil for the full image.
    let crop: [Double]?
    let weighsLight: Bool
    /// Path of a file with rows of premultiplied colours and alpha, 16 bits per sample, little-endian.
    let reference: String
    let maxDifference: Double

    static func all() throws -> [(path: String, ResizedFixture)] {
        struct Entry: Decodable {
            let path: String
            let resized: [ResizedFixture]?
        }
        let manifest = try Data(contentsOf: Fixture.folder.appending(path: "manifest.json"))
        return try JSONDecoder().decode([Entry].self, from: manifest).flatMap { entry in
            (entry.resized ?? []).map { (entry.path, $0) }
        }
    }

    /// Largest sample difference in units of 1/255; infinite if the sizes differ.
    func largestDifference(to bitmap: Bitmap) throws -> Double {
        let expected = try Fixture.file(reference)
        let bytes = bitmap.copyBytes()
        guard expected.count == bytes.count * 2 else { return .infinity }
        var largest = 0.0
        for i in bytes.indices {
            let exact = Double(Int(expected[i * 2]) | Int(expected[i * 2 + 1]) << 8) / 257
            let alpha = i % 4 == 3 ? 1 : Double(bytes[i | 3]) / 255
            largest = max(largest, abs(Double(bytes[i]) * alpha - exact))
        }
        return largest
    }
}
