// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The functions of platformimage.h, which documents them. `@implementation` makes the compiler compare each function
// with its declaration in the header, which has the same name; it needs Swift 6.3.
#if compiler(>=6.3)
public import CPlatformImageInterface
import PlatformImage

@c @implementation
public func pi_version(_ version: UnsafeMutablePointer<pi_version_info>?) -> pi_status {
    status(nil) { () throws(InterfaceError) in
        try StructMemory.update(version, "version", isResult: true) {
            $0.abi = UInt32(PI_ABI_VERSION)
            ($0.major, $0.minor, $0.patch) = (
                UInt32(PI_VERSION_MAJOR), UInt32(PI_VERSION_MINOR), UInt32(PI_VERSION_PATCH)
            )
        }
    }
}

@c @implementation
public func pi_info(
    _ bytes: UnsafePointer<UInt8>?, _ byteCount: Int, _ options: UnsafePointer<pi_decode_options>?,
    _ info: UnsafeMutablePointer<pi_image_info>?, _ error: UnsafeMutablePointer<pi_error>?
) -> pi_status {
    status(error) { () throws(InterfaceError) in
        try StructMemory.update(info, "info", isResult: true) { info throws(InterfaceError) in
            let byteCountOfStruct = info.struct_size
            info = try InputImage(bytes, byteCount, options).info()
            info.struct_size = byteCountOfStruct
        }
    }
}

@c @implementation
public func pi_decode(
    _ bytes: UnsafePointer<UInt8>?, _ byteCount: Int, _ options: UnsafePointer<pi_decode_options>?,
    _ image: UnsafeMutablePointer<pi_image>?, _ error: UnsafeMutablePointer<pi_error>?
) -> pi_status {
    status(error) { () throws(InterfaceError) in
        try StructMemory.update(image, "image") { image throws(InterfaceError) in
            try InputImage(bytes, byteCount, options).decode(into: &image)
        }
    }
}

@c @implementation
public func pi_thumbnail(
    _ bytes: UnsafePointer<UInt8>?, _ byteCount: Int, _ options: UnsafePointer<pi_decode_options>?,
    _ thumbnail: UnsafePointer<pi_thumbnail_options>?, _ image: UnsafeMutablePointer<pi_image>?,
    _ error: UnsafeMutablePointer<pi_error>?
) -> pi_status {
    status(error) { () throws(InterfaceError) in
        try StructMemory.update(image, "image") { image throws(InterfaceError) in
            let input = try InputImage(bytes, byteCount, options)
            try input.thumbnail(ThumbnailOptions(thumbnail), into: &image)
        }
    }
}

@c @implementation
public func pi_thumbnail_encode(
    _ bytes: UnsafePointer<UInt8>?, _ byteCount: Int, _ options: UnsafePointer<pi_decode_options>?,
    _ thumbnail: UnsafePointer<pi_thumbnail_options>?, _ encode: UnsafePointer<pi_encode_options>?,
    _ file: UnsafeMutablePointer<pi_file>?, _ error: UnsafeMutablePointer<pi_error>?
) -> pi_status {
    status(error) { () throws(InterfaceError) in
        try StructMemory.update(file, "file") { file throws(InterfaceError) in
            let input = try InputImage(bytes, byteCount, options)
            try input.encodeThumbnail(ThumbnailOptions(thumbnail), EncodeSettings(encode), into: &file)
        }
    }
}

@c @implementation
public func pi_encode(
    _ image: UnsafePointer<pi_image>?, _ encode: UnsafePointer<pi_encode_options>?,
    _ file: UnsafeMutablePointer<pi_file>?, _ error: UnsafeMutablePointer<pi_error>?
) -> pi_status {
    status(error) { () throws(InterfaceError) in
        try StructMemory.update(file, "file") { file throws(InterfaceError) in
            let pixels = try StructMemory.read(image, "image")
            try EncodeSettings(encode).write(pixels, to: &file)
        }
    }
}

@c @implementation
public func pi_release_memory() -> pi_status {
    Bitmap.releasePooledBytes()
    return pi_status(PI_OK)
}

/// Runs `body`, describes its error in `error` unless that is NULL, and returns the status.
private func status(
    _ error: UnsafeMutablePointer<pi_error>?, _ body: () throws(InterfaceError) -> Void
) -> pi_status {
    func run() -> InterfaceError? {
        do throws(InterfaceError) { try body() } catch { return error }
        return nil
    }
    guard error != nil else { return run()?.status ?? pi_status(PI_OK) }
    var failure: InterfaceError?
    do throws(InterfaceError) {
        try StructMemory.update(error, "error", isResult: true) {
            failure = run()
            $0.set(failure)
        }
    } catch {
        // A `pi_error` that cannot be used; the function has done nothing.
        return error.status
    }
    return failure?.status ?? pi_status(PI_OK)
}
#endif
