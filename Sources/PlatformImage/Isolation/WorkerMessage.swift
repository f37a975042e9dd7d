// The messages between a program and a decode worker. Each starts with its kind. See Docs/isolation.md.

/// A unit of work of a decode worker.
enum WorkerOperation: Equatable {
    case header
    case iccProfile
    /// The colour definition and the ICC profile.
    case sourceProfile
    case metadata
    /// Metadata that is read, filtered and written again.
    case preparedMetadata(PreparedMetadata.Request)
    case frameInfos
    /// Memory and plan of a thumbnail, without pixels.
    case thumbnailCost(ThumbnailOptions)
    /// The header, and memory and plan of the thumbnail that is probably requested next.
    case headerAndCost(ThumbnailOptions)
    /// Memory of a decode, without pixels.
    case decodeCost
    /// Makes images; the worker first reports their size.
    case images(ImageOperation)
    /// Opens an animation; the worker then expects messages of the kind `frame` until the next request.
    case frames

    /// An upper estimate of the output in bytes that is known before the header is read, with at most
    /// ``maxExpectedOutputBytes``; nil when there is none.
    var expectedOutputBytes: Int? {
        let all: [ThumbnailOptions]
        switch self {
        case .images(.thumbnail(let options)): all = [options]
        case .images(.thumbnails(let options, _)), .images(.thumbnailsByPlan(let options)): all = options
        default: return nil
        }
        var total = 0
        for options in all {
            guard let width = options.width, let height = options.height, width > 0, height > 0 else { return nil }
            let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
            guard !overflows, pixels <= Self.maxExpectedOutputBytes / 4 else { return nil }
            total = total.addingClamped(
                WorkerJob.outputBytes(resultBytes: PixelStorage.allocatedByteCount(pixels &* 4)))
            guard total <= Self.maxExpectedOutputBytes else { return nil }
        }
        return total
    }

    /// A larger output is announced by the worker and then permitted, so that the slab grows only for a valid file.
    private static let maxExpectedOutputBytes = 16 << 20

    /// Maximum number of thumbnails of one message.
    static let maxThumbnails = 100_000
}

/// The place of the input of a request.
enum WorkerInput: Equatable {
    /// The first bytes of the slab.
    case slab(byteCount: Int)
    /// A sealed memfd that the message carries.
    case descriptor(byteCount: Int)

    var byteCount: Int {
        switch self {
        case .slab(let byteCount), .descriptor(let byteCount): byteCount
        }
    }
}

/// A request to a worker.
struct WorkerRequest: Equatable {
    var number: UInt64
    var operation: WorkerOperation
    var options: DecodeOptions
    var contentType: ContentType?
    var input: WorkerInput
    /// Nanoseconds until the deadline; nil for none.
    var deadline: Int?
    /// Bytes from the start of the slab that the request needs.
    var slabBytes: Int
    /// Place for the pixels: a worker whose output fits makes them without a further permission. Nil for none.
    var output: WorkerOutputPlace?
}

/// A part of the slab for the pixels of a request.
struct WorkerOutputPlace: Equatable {
    var start: Int
    var byteCount: Int
}

/// A step of an animation that a worker has open.
enum FrameStep: UInt8 {
    case advance
    case compose
    /// The pixels of the frame alone.
    case raw
}

/// A message to a worker.
enum WorkerCommand: Equatable {
    /// The first message; it carries the descriptor of the slab.
    case start(slabBytes: Int, addressSpaceBytes: Int)
    case request(WorkerRequest)
    /// Permits the worker to write the pixels of the last request to the slab, from `outputStart` on.
    case proceed(number: UInt64, slabBytes: Int, outputStart: Int)
    case frame(number: UInt64, FrameStep, slabBytes: Int)
    /// Ends the last request, which has this number, and returns unused memory to the system. Has no answer. A worker
    /// ignores it during a request with another number.
    case releaseMemory(number: UInt64)
}

/// An image in the slab.
struct WorkerImage: Equatable {
    /// Bytes from the start of the output to the first pixel.
    var offset: Int
    var width: Int
    var height: Int

    /// The bytes of the pixels; nil on overflow.
    var byteCount: Int? {
        let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
        let (bytes, alsoOverflows) = pixels.multipliedReportingOverflow(by: 4)
        return overflows || alsoOverflows ? nil : bytes
    }
}

/// The result of a request.
enum WorkerResult {
    case failure(DecodeError)
    case header(ImageHeader)
    case iccProfile([UInt8]?)
    case sourceProfile(ProfilePolicy.Source, [UInt8]?)
    case metadata(ImageMetadata)
    case preparedMetadata(PreparedMetadata)
    case frameInfos([FrameInfo])
    case cost(byteCount: Int, plan: ThumbnailPlan?)
    /// The cost is nil when the thumbnail cannot be made.
    case headerAndCost(ImageHeader, cost: Cost?)
    /// The images, and for each requested thumbnail the position of its image or its error.
    case images([Image], [Result<Int, DecodeError>], decodeCount: Int)
    /// The header of an animation that is open now, and bytes of its canvas.
    case frames(ImageHeader)
    /// The next frame, nil after the last, or an error; then the status of the animation.
    case frame(Result<FrameInfo?, DecodeError>, DecodeStatus)
    /// A canvas or the pixels of a frame; nil when the frame has none.
    case pixels(WorkerImage?)

    struct Cost {
        var byteCount: Int
        var plan: ThumbnailPlan
    }

    struct Image {
        var place: WorkerImage
        var header: ImageHeader
        var status: DecodeStatus
    }
}

/// A message from a worker.
enum WorkerReport {
    case ready(SandboxReport)
    /// Upper estimates: memory of the operation without its output, and bytes of the output.
    case measured(number: UInt64, byteCount: Int, outputBytes: Int)
    case finished(number: UInt64, WorkerResult)
}

/// The confinement that a worker applied to itself.
struct SandboxReport: Equatable {
    var noNewPrivileges: Bool
    var hasSystemCallFilter: Bool
    /// Version of the Landlock ABI; 0 for none.
    var landlockVersion: Int
    var hasLimits: Bool
    /// The system's number of the first error; 0 for none.
    var errorNumber: Int
}
