// Profile to sRGB, and remembering the transforms of the last profiles seen.

internal import CImageCodecs
import Synchronization

/// A colour conversion to sRGB, made once and shared between threads.
@safe final class ColorTransform: Sendable {
    /// Valid until deinit; lcms2 reads it only (made with `cmsFLAGS_NOCACHE`).
    nonisolated(unsafe) let handle: OpaquePointer

    init(handle: OpaquePointer) { unsafe self.handle = handle }
    deinit { unsafe imgc_transform_destroy(handle) }

    var isCMYK: Bool { unsafe imgc_transform_is_cmyk(handle) }
}

/// The transforms of the last 16 profiles; most servers see the same few cameras and programs again and again.
final class ColorTransformCache: Sendable {
    private struct Key: Hashable {
        let icc: [UInt8]  // at most maxCachedProfile bytes; empty: the PNG chunks below
        let chunks: [UInt32]
        let format: ImageFormat
        let model: UInt32
    }
    private struct Entry {
        let key: Key
        let transform: ColorTransform?
        let damage: Damage
    }

    private static let maxCount = 16
    private static let maxCachedProfile = 64 << 10  // bytes

    private let entries = Mutex<[Entry]>([])  // most recently used last

    /// The transform for pictures with this header; nil when their colours need none.
    func transform(
        header: imgc_header, icc: [UInt8]?, format: ImageFormat, damage: inout Damage
    ) throws(DecodeError) -> ColorTransform? {
        let key = Key(
            icc: icc ?? [], chunks: header.colorChunks, format: format, model: header.color_model.rawValue)
        let known = entries.locked(in: self) { entries -> Entry? in
            guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry
        }
        if let known {
            damage.add(known.damage)
            return known.transform
        }
        let entry = try make(key, header)
        if key.icc.count <= Self.maxCachedProfile {
            entries.locked(in: self) { entries in
                if entries.count >= Self.maxCount { entries.removeFirst() }
                entries.append(entry)
            }
        }
        damage.add(entry.damage)
        return entry.transform
    }

    private func make(_ key: Key, _ header: imgc_header) throws(DecodeError) -> Entry {
        var report = imgc_report()
        var handle: OpaquePointer?
        let status = unsafe key.icc.withUnsafeBufferPointer { icc in
            unsafe withUnsafePointer(to: header) { header in
                var source = unsafe imgc_color_source(
                    icc: icc.isEmpty ? nil : icc.baseAddress, icc_size: icc.count, header: header)
                return unsafe imgc_transform_create(&source, &handle, &report)
            }
        }
        guard status == IMGC_OK else { throw DecodeError(status, report, key.format) }
        return unsafe Entry(
            key: key, transform: handle.map { unsafe ColorTransform(handle: $0) }, damage: Damage(report))
    }
}

extension imgc_header {
    fileprivate var colorChunks: [UInt32] {
        guard has_cicp || has_srgb || has_gamma || has_chromaticities else { return [] }
        let c = chromaticities
        return [
            has_cicp ? 1 : 0, UInt32(cicp.0), UInt32(cicp.1), UInt32(cicp.2), UInt32(cicp.3), has_srgb ? 1 : 0,
            has_gamma ? gamma : 0, has_chromaticities ? 1 : 0, c.0, c.1, c.2, c.3, c.4, c.5, c.6, c.7,
        ]
    }
}
