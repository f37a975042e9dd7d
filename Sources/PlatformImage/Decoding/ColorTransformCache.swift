import Synchronization

/// An LRU cache of at most 16 colour transforms: most images that a server receives have one of a few profiles.
final class ColorTransformCache: Sendable {
    private struct Key: Hashable {
        let icc: [UInt8]  // at most maxCachedProfile bytes; empty: the PNG colour chunks apply
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

    /// Returns the transform for images with this header, from the cache or newly created; nil when no conversion is
    /// needed or the profile is not usable.
    func transform(
        header: CodecHeader, icc: [UInt8]?, format: ImageFormat, damage: inout Damage
    ) throws(DecodeError) -> ColorTransform? {
        let key = Key(
            icc: icc ?? [], chunks: header.colorChunks, format: format, model: header.colorModel)
        let cached = entries.locked(in: self) { entries -> Entry? in
            guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry
        }
        if let cached {
            damage.add(cached.damage)
            return cached.transform
        }
        let entry = try create(key, header)
        if key.icc.count <= Self.maxCachedProfile {
            entries.locked(in: self) { entries in
                if entries.count >= Self.maxCount { entries.removeFirst() }
                entries.append(entry)
            }
        }
        damage.add(entry.damage)
        return entry.transform
    }

    private func create(_ key: Key, _ header: CodecHeader) throws(DecodeError) -> Entry {
        let (transform, damage) = try ColorTransform.create(icc: key.icc, header: header, format: key.format)
        return Entry(key: key, transform: transform, damage: damage)
    }
}
