internal import CPlatformImageSandbox

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Work of a worker before it confines itself: tables, dispatch of vector code and other state that the libraries
/// create at their first use, with system calls that the filter does not allow.
enum WorkerWarmUp {
    static func run() {
        let files = files()
        // Both decodes use the same colour transforms.
        let decoder = LocalDecoder(options: DecodeOptions())
        decode(files, decoder)
        sort()
        // Encoders and the start of the program use pages that decodes do not need; the second decode maps those that
        // they need, so that the first request does not wait for them.
        pisb_release_code()
        decode(files, decoder)
    }

    /// A small file of each format that this build encodes.
    private static func files() -> [[UInt8]] {
        let bitmap = Bitmap(width: 32, height: 32) { pixels in
            for index in 0..<pixels.count { pixels[index] = UInt8(truncatingIfNeeded: index &* 37) }
        }
        var files: [[UInt8]] = []
        for format in EncodedFormat.allCases {
            // A format that this build does not encode is not decoded either.
            guard let file = try? ImageEncoder().encode(bitmap, as: format) else { continue }
            files.append(file)
            if format == .png { files.append(withLinearGamma(file)) }
        }
        return files
    }

    private static func decode(_ files: [[UInt8]], _ decoder: LocalDecoder) {
        for file in files {
            _ = try? decoder.images(.decode, file.span)
            _ = try? decoder.images(.thumbnail(ThumbnailOptions(width: 8, height: 8)), file.span)
        }
    }

    /// Adds a gAMA chunk with the gamma 1.0 after the IHDR chunk of a PNG (PNG 3rd edition, 11.3.2.2), so that lcms2
    /// makes a profile: it writes the time into it, for which the C library reads the time zone at first.
    private static func withLinearGamma(_ png: [UInt8]) -> [UInt8] {
        let chunk: [UInt8] = [0, 0, 0, 4] + Array("gAMA".utf8) + [0x00, 0x01, 0x86, 0xA0, 0x31, 0xE8, 0x96, 0x5F]
        let endOfHeader = 8 + 12 + 13
        return png.prefix(endOfHeader) + chunk + png.dropFirst(endOfHeader)
    }

    /// qsort(3) of glibc reads the size of the memory from the system when it sorts more than 1,024 bytes for the first
    /// time.
    private static func sort() {
        var numbers = [Int](0..<1024)
        unsafe qsort(&numbers, numbers.count, MemoryLayout<Int>.stride) { a, b in
            guard let a = unsafe a, let b = unsafe b else { return 0 }
            let (first, second) = unsafe (a.load(as: Int.self), b.load(as: Int.self))
            return first < second ? -1 : first > second ? 1 : 0
        }
    }
}
