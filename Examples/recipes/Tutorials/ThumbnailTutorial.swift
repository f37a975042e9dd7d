import PlatformImage
import Testing

/// The code of the tutorial "From bytes to thumbnails" of PlatformImage.docc, one type for each step. The tutorial
/// contains the same lines; `make lint` compares them.
enum ThumbnailTutorial {
    enum Header {
        struct Thumbnails {
            func describe(_ upload: [UInt8]) throws -> String {
                let header = try ImageDecoder().header(of: upload)
                return "\(header.format) \(header.displayWidth) x \(header.displayHeight)"
            }
        }
    }

    enum Limits {
        struct Thumbnails {
            let decoder: ImageDecoder

            init() {
                var options = DecodeOptions()
                options.limits = .thumbnailService
                decoder = ImageDecoder(options: options)
            }

            func describe(_ upload: [UInt8]) throws -> String {
                let header = try decoder.header(of: upload)
                return "\(header.format) \(header.displayWidth) x \(header.displayHeight)"
            }
        }
    }

    enum Encode {
        struct Thumbnails {
            let decoder: ImageDecoder

            init() {
                var options = DecodeOptions()
                options.limits = .thumbnailService
                decoder = ImageDecoder(options: options)
            }

            func jpeg(of upload: [UInt8], width: Int, height: Int) throws -> [UInt8] {
                let options = ThumbnailOptions(width: width, height: height)
                let thumbnail = try decoder.thumbnail(of: upload, options: options)
                return try ImageEncoder().encode(thumbnail.bitmap, as: .jpeg)
            }
        }
    }

    enum Cover {
        struct Thumbnails {
            let decoder: ImageDecoder

            init() {
                var options = DecodeOptions()
                options.limits = .thumbnailService
                decoder = ImageDecoder(options: options)
            }

            func jpeg(of upload: [UInt8], width: Int, height: Int) throws -> [UInt8] {
                var options = ThumbnailOptions(width: width, height: height, fit: .cover)
                options.gravity = Gravity(x: 0.5, y: 0.3)
                let thumbnail = try decoder.thumbnail(of: upload, options: options)
                return try ImageEncoder().encode(thumbnail.bitmap, as: .jpeg)
            }
        }
    }

    enum Queue {
        struct Thumbnails: Sendable {
            let queue = DecodeQueue(budget: DecodeBudget(maxBytes: 256 << 20))
            let decoder: ImageDecoder

            init() {
                var options = DecodeOptions()
                options.limits = .thumbnailService
                decoder = ImageDecoder(options: options)
            }

            func jpeg(of upload: [UInt8], width: Int, height: Int) async throws -> [UInt8] {
                var options = ThumbnailOptions(width: width, height: height, fit: .cover)
                options.gravity = Gravity(x: 0.5, y: 0.3)
                let thumbnail = try await queue.thumbnail(of: upload, options: options, with: decoder)
                return try await queue.encode(thumbnail.bitmap, as: .jpeg)
            }
        }
    }

    enum Status {
        /// The HTTP status of the response to an upload that could not be processed.
        static func status(for error: any Error) -> Int {
            guard let error = error as? DecodeError else { return 500 }
            return switch error.code {
            case .unknownFormat, .unsupported: 415
            case .limitExceeded: 413
            case .invalidArgument: 400
            case .malformed, .truncated: 422
            default: 500
            }
        }
    }
}

extension RecipeTests {
    @Test func codeOfTheThumbnailTutorialWorks() async throws {
        let upload = try example("demo/mountains.jpg")

        #expect(try ThumbnailTutorial.Header.Thumbnails().describe(upload) == "jpeg 760 x 500")
        #expect(try ThumbnailTutorial.Limits.Thumbnails().describe(upload) == "jpeg 760 x 500")
        let contained = try ThumbnailTutorial.Encode.Thumbnails().jpeg(of: upload, width: 300, height: 300)
        #expect(try ImageDecoder().header(of: contained).height == 197)
        let covered = try ThumbnailTutorial.Cover.Thumbnails().jpeg(of: upload, width: 300, height: 300)
        #expect(try ImageDecoder().header(of: covered).height == 300)
        let queued = try await ThumbnailTutorial.Queue.Thumbnails().jpeg(of: upload, width: 300, height: 300)
        #expect(queued == covered)

        let files = [
            ("bad/avif-avif-mif1.avif", 415), ("bad/png-bomb-65535x65535.png", 413), ("jpeg/exif-cut.jpg", 200),
        ]
        for (path, status) in files {
            do {
                _ = try await ThumbnailTutorial.Queue.Thumbnails().jpeg(of: example(path), width: 8, height: 8)
                #expect(status == 200)
            } catch {
                #expect(ThumbnailTutorial.Status.status(for: error) == status)
            }
        }
        await #expect {
            try await ThumbnailTutorial.Queue.Thumbnails().jpeg(of: upload, width: 0, height: 300)
        } throws: { ThumbnailTutorial.Status.status(for: $0) == 400 }
    }
}
