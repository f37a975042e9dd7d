import PlatformImage

/// The result of starting workers and decoding generated images in them.
struct IsolationTrial {
    /// Formats of the decoded images.
    private(set) var formats: [String] = []
    private(set) var workers: [WorkerFacts] = []
    /// Version of the Landlock rules that the workers applied; `nil` when none started.
    private(set) var landlockVersion: Int?
    /// The reason why workers cannot be used; `nil` when they can.
    private(set) var failure: String?

    /// - Parameter decoder: Path of the worker program; `nil` for that next to the running program.
    init(decoder: String?) {
        do {
            try run(decoder)
        } catch let error as DecodeError {
            failure = error.description
        } catch {
            failure = "\(error)"
        }
    }

    private mutating func run(_ decoder: String?) throws {
        var configuration = DecodeWorkers.Configuration()
        configuration.executable = decoder
        configuration.workerCount = 1
        let workers = try DecodeWorkers(configuration)
        landlockVersion = workers.sandbox.landlockVersion
        var isolated = ImageDecoder()
        isolated.isolation = DecodeIsolation(workers)
        let sample = Self.sample
        for format in EncodedFormat.allCases where format.isAvailable {
            let file = try ImageEncoder().encode(sample, as: format)
            let image = try isolated.decode(file)
            let expected = try ImageDecoder().decode(file)
            guard image.bitmap == expected.bitmap else {
                failure = "the worker returned other pixels of a \(format.rawValue) than a decode in this process"
                return
            }
            formats.append(format.rawValue)
        }
        self.workers = workers.processIdentifiers.map { WorkerFacts(process: $0) }
        failure = self.workers.lazy.compactMap(\.defect).first
        if self.workers.isEmpty { failure = "no worker is alive after the decodes" }
    }

    /// An opaque image of 64 x 64 pixels.
    private static var sample: Bitmap {
        Bitmap(width: 64, height: 64) { pixels in
            for index in 0..<64 * 64 {
                let (x, y) = (index % 64, index / 64)
                RGBA8(red: UInt8(x * 4), green: UInt8(y * 4), blue: UInt8((x ^ y) * 4)).store(
                    in: &pixels, at: index * 4)
            }
        }
    }
}
