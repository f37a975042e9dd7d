import Foundation
import PlatformImage
import PlatformImageTestSupport

/// The expected result of an operation on a fixture, computed by another program with `Fixtures/make/operations.py`.
struct OperationFixture: Decodable, CustomStringConvertible {
    let operation: String
    let program: String
    let width: Int
    let height: Int
    /// Path of a file with raw RGBA8 rows, RGB set to 0 where alpha is 0.
    let reference: String
    let maxDifference: Int

    // The arguments of the operation.
    let x: Int?
    let y: Int?
    /// The raw value of a ``CompositeOperator``.
    let `operator`: String?
    let opacity: Double?
    let sigma: Double?
    let radius: Double?
    let percent: Int?
    /// Red, green, blue and alpha.
    let color: [UInt8]?
    /// Left, top, width and height.
    let rectangle: [Int]?
    let left: Int?
    let top: Int?
    let right: Int?
    let bottom: Int?

    var description: String { "\(reference) by \(program)" }

    static let all: [OperationFixture] = {
        struct Entry: Decodable {
            let operations: [OperationFixture]?
        }
        do {
            let manifest = try Data(contentsOf: Fixture.folder.appending(path: "manifest.json"))
            return try JSONDecoder().decode([Entry].self, from: manifest).flatMap { $0.operations ?? [] }
        } catch {
            preconditionFailure("Fixtures/manifest.json: \(error)")
        }
    }()

    struct MissingArgument: Error {}

    private func argument<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw MissingArgument() }
        return value
    }

    private func pixel() throws -> RGBA8 {
        let color = try argument(color)
        return RGBA8(red: color[0], green: color[1], blue: color[2], alpha: color[3])
    }

    var compositeOperator: CompositeOperator? { `operator`.flatMap(CompositeOperator.init(rawValue:)) }

    /// Applies the operation.
    func result(of base: Bitmap, overlay: Bitmap) throws -> Bitmap {
        switch operation {
        case "composite":
            return try base.composited(
                overlay, atX: argument(x), y: argument(y), operator: argument(compositeOperator),
                opacity: argument(opacity))
        case "blur": return try base.blurred(sigma: argument(sigma))
        case "grayscale": return try base.grayscale()
        case "brightness": return try base.adjustingBrightness(byPercent: argument(percent))
        case "tint": return try base.tinted(with: pixel())
        case "roundedCorners": return try base.withRoundedCorners(radius: argument(radius))
        case "circle": return try base.croppedToCircle()
        case "fill":
            let box = try argument(rectangle)
            return try base.filled(
                with: pixel(), in: PixelRectangle(x: box[0], y: box[1], width: box[2], height: box[3]))
        case "pad":
            return try base.padded(
                top: argument(top), left: argument(left), bottom: argument(bottom), right: argument(right),
                with: pixel())
        default: throw MissingArgument()
        }
    }
}
