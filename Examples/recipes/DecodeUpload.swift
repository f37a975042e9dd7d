import PlatformImage
import Testing

/// An uploaded file that is not accepted, with the HTTP status for the client.
struct UploadRefusal: Error {
    let status: Int
    let reason: String
}

/// Decodes an uploaded file within the limits of a service. No file makes this function trap or exceed the limits.
///
/// - Parameter contentType: The value of the request's Content-Type field; it is used only if no signature matches.
/// - Returns: A complete image; a truncated or damaged file is refused.
func decodeUpload(
    _ bytes: [UInt8], as contentType: String?, on queue: DecodeQueue
) async throws -> DecodedImage {
    var decoder = ImageDecoder(options: .strict)
    decoder.options.limits = .thumbnailService
    decoder.options.allowedFormats = [.png, .jpeg, .gif]
    do {
        return try await queue.decode(bytes, as: contentType.flatMap { ContentType($0) }, with: decoder)
    } catch {
        // The error is a DecodeError. Its message contains the found and the expected value, but no data of the file.
        let status =
            switch error.code {
            case .unknownFormat, .unsupported: 415
            case .limitExceeded: 413
            case .malformed, .truncated: 422
            case .cancelled: 499
            default: 500
            }
        throw UploadRefusal(status: status, reason: error.description)
    }
}

extension RecipeTests {
    @Test(
        arguments: [
            ("demo/logo.png", nil), ("bad/avif-avif-mif1.avif", 415), ("bad/png-bomb-65535x65535.png", 413),
            ("jpeg/truncated-420.jpg", 422), ("demo/dunes-16-bit.tif", 415),
        ] as [(String, Int?)])
    func uploadIsDecodedOrRefusedWithAStatus(_ path: String, _ expected: Int?) async throws {
        let queue = DecodeQueue(width: 1)
        do {
            let image = try await decodeUpload(example(path), as: "image/png", on: queue)
            #expect(image.status == .complete && image.bitmap.width == 320)
            #expect(expected == nil)
        } catch let refusal as UploadRefusal {
            #expect(refusal.status == expected, "\(refusal.reason)")
        }
    }
}
