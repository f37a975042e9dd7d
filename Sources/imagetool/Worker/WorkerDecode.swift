import PlatformImage
import PlatformImageToolSupport

/// Options of a `decode` request of `imagetool worker`.
struct WorkerDecode: Sendable {
    let format: PixelFileFormat
    let isPremultiplied: Bool
    /// Index of the frame or page; `nil` for the default image.
    let frame: Int?
    let options: DecodeOptions

    init(_ members: [(String, JSON)], format: String?) throws(Failure) {
        guard let format = PixelFileFormat(rawValue: format ?? "raw") else {
            throw .invalidRequest("format must be raw, pam or png")
        }
        var (isStored, isStrict, isPremultiplied) = (false, false, false)
        var (frame, maxPixels): (Int?, Int?)
        for (name, value) in members {
            switch name {
            case "as-stored": isStored = try Self.flag(name, value)
            case "strict": isStrict = try Self.flag(name, value)
            case "premultiplied": isPremultiplied = try Self.flag(name, value)
            case "frame": frame = try Self.count(name, value, atLeast: 0)
            case "max-pixels": maxPixels = try Self.count(name, value, atLeast: 1)
            default: throw .invalidRequest("unknown option \(name)")
            }
        }
        if isPremultiplied, format == .png { throw .invalidRequest("premultiplied requires the format raw or pam") }
        self.format = format
        self.isPremultiplied = isPremultiplied
        self.frame = frame
        options = DecodeOptions(isStored: isStored, isStrict: isStrict, maxPixels: maxPixels)
    }

    private static func flag(_ name: String, _ value: JSON) throws(Failure) -> Bool {
        guard let flag = value.bool else { throw .invalidRequest("\(name) must be true or false") }
        return flag
    }

    private static func count(_ name: String, _ value: JSON, atLeast least: Int) throws(Failure) -> Int {
        guard let count = value.integer, count >= least else {
            throw .invalidRequest("\(name) must be an integer, \(least) or more")
        }
        return count
    }
}
