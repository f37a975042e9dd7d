#if Tool && AsyncHTTPClient
import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageToolSupport

/// The pictures of a folder, each under one address of an origin or under several.
struct DemoPictures: Sendable {
    struct Picture: Sendable {
        /// From the folder.
        let path: String
        let format: ImageFormat
        let resource: OriginResource
        /// Decoded straight from the file, to compare with.
        let bitmap: Bitmap
    }

    /// Those that decode without damage.
    let pictures: [Picture]
    /// For each address the number of its picture: large and small ones mixed, in the same way each time.
    let addresses: [Int]

    /// Seconds that responses are fresh.
    static let maxAge = 3_600
    /// Pixels from which on a picture is worth several addresses.
    private static let largePixels = 10_000

    /// - Parameters:
    ///   - count: Addresses, if so many fit.
    ///   - maxBytes: Of all decoded pictures together, each counted for each of its addresses.
    /// - Throws: `noInput` when the folder cannot be listed or has no picture.
    init(folder: String, count: Int, maxBytes: Int) throws {
        let decoder = ImageDecoder()
        var pictures: [Picture] = []
        for path in try filesIn(folder) {
            guard let bytes = try? readInput("\(folder)/\(path)", limit: decoder.options.limits.maxInputBytes),
                let image = try? decoder.decode(bytes), image.status == .complete
            else { continue }
            let resource = OriginResource(
                bytes, contentType: image.header.format.contentType.description, etag: "\"\(pictures.count)\"",
                maxAge: Self.maxAge)
            pictures.append(
                Picture(path: path, format: image.header.format, resource: resource, bitmap: image.bitmap))
        }
        guard !pictures.isEmpty else { throw Failure(.noInput, "noInput: no picture in it decodes whole") }
        self.pictures = pictures
        let addresses = Self.addresses(of: pictures, count: count, maxBytes: maxBytes)
        guard !addresses.isEmpty else {
            throw Failure(.refused, "limitExceeded: its first picture has more than \(maxBytes) bytes of pixels")
        }
        self.addresses = Self.mixed(addresses)
    }

    /// Each picture once, then the large ones in turn.
    private static func addresses(of pictures: [Picture], count: Int, maxBytes: Int) -> [Int] {
        let large = pictures.indices.filter { pictures[$0].bitmap.width * pictures[$0].bitmap.height >= largePixels }
        let repeated = large.isEmpty ? Array(pictures.indices) : large
        var addresses: [Int] = []
        var bytes = 0
        while addresses.count < count {
            let turn = addresses.count - pictures.count
            let picture = turn < 0 ? addresses.count : repeated[turn % repeated.count]
            bytes += pictures[picture].bitmap.byteCount
            guard bytes <= maxBytes else { break }
            addresses.append(picture)
        }
        return addresses
    }

    /// The same in another order, by a fixed sequence of pseudo-random numbers (Fisher and Yates' shuffle).
    private static func mixed(_ addresses: [Int]) -> [Int] {
        var addresses = addresses
        var state: UInt64 = 1
        for last in addresses.indices.reversed().dropLast() {
            // Knuth's multiplier for 64 bits; the upper half of the state is the random one.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            addresses.swapAt(last, Int(state >> 33) % (last + 1))
        }
        return addresses
    }

    func picture(at address: Int) -> Picture { pictures[addresses[address]] }

    /// The path of an address: its number and the name of the file.
    func path(_ address: Int) -> String {
        let name = picture(at: address).path.split(separator: "/").last ?? ""
        // What may stand in any address as it is stays; a transport would escape the rest in its own way.
        return "/\(address)/\(plainName(name.utf8))"
    }

    /// What the origin has under a path; nil for nothing.
    func resource(_ path: String) -> OriginResource? {
        let number = path.split(separator: "/").first.flatMap { Int($0) }
        guard let number, addresses.indices.contains(number), path == self.path(number) else { return nil }
        return picture(at: number).resource
    }

    /// Bytes of all files, each counted for each of its addresses.
    var fileBytes: Int { addresses.reduce(0) { $0 + pictures[$1].resource.body.count } }
    /// Bytes of all pixels, counted so.
    var pixelBytes: Int { addresses.reduce(0) { $0 + pictures[$1].bitmap.byteCount } }

    /// How many addresses and pictures of which formats.
    var summary: String {
        let formats = ImageFormat.allCases.compactMap { format in
            let count = addresses.count { pictures[$0].format == format }
            return count == 0 ? nil : "\(count) \(format.rawValue)"
        }
        return "\(addresses.count) addresses of \(Set(addresses).count) pictures (\(formats.joined(separator: ", "))): "
            + "\(fixed(Double(fileBytes) / 1e6, digits: 1)) MB of files, "
            + "\(fixed(Double(pixelBytes) / 1e6, digits: 1)) MB of pixels"
    }
}
#endif
