internal import CPlatformImageChecksums
import PlatformImage

// An entry's file (numbers in little endian):
//
//     offset 0       8 bytes   magic, format version, slot size code
//     offset 8       slot A    S bytes
//     offset 8+S     slot B    S bytes
//     offset 8+2S    body      verbatim, to the end of the file
//
//     slot = u64 sequence, u32 length, u32 CRC-32C(sequence, length, payload), payload
//
// The valid slot with the larger sequence is current. An update writes the other slot, so a torn write is harmless.

/// Layout of the file prefix and the two metadata slots.
enum DiskFormat {
    /// Possible slot sizes in bytes; the code in the file is the index.
    static let slotSizes = [smallestSlotSize, 4096, 16_384, 65_536]
    static let smallestSlotSize = 1024
    /// Bytes before the first slot.
    static let prefixSize = 8
    /// Bytes of a slot before its payload.
    static let slotHeaderSize = 16

    private static let magic = Array("PIDC".utf8)
    private static let version: UInt16 = 1

    /// The parsed file prefix (8 bytes).
    enum Prefix: Equatable {
        case slotSize(Int)
        /// Written by another version of this library; the file is not changed.
        case unknownVersion
        case damaged
    }

    /// Returns the number of bytes before the body.
    static func headerSize(slotSize: Int) -> Int { prefixSize &+ 2 &* slotSize }

    /// Returns the smallest slot size that has room for the payload and 64 bytes for a later stored error. Returns the
    /// largest slot size when only the payload fits, and nil when the payload does not fit.
    static func slotSize(payload: Int) -> Int? {
        let needed = payload.addingClamped(slotHeaderSize + 64)  // trap-free: constants
        return slotSizes.first { $0 >= needed } ?? slotSizes.last.flatMap { $0 >= needed &- 64 ? $0 : nil }
    }

    /// Returns the 8-byte prefix of a file; `slotSize` is one of ``slotSizes``.
    static func prefix(slotSize: Int) -> [UInt8] {
        let code = UInt8(clamping: slotSizes.firstIndex(of: slotSize) ?? 0)
        return magic + [UInt8(truncatingIfNeeded: version), UInt8(truncatingIfNeeded: version >> 8), code, ~code]
    }

    /// Parses the 8-byte prefix.
    static func readPrefix(_ bytes: ArraySlice<UInt8>) -> Prefix {
        var reader = DiskReader(bytes)
        guard let found = reader.bytes(magic.count), found.elementsEqual(magic), let version = reader.u16(),
            let code = reader.u8(), let check = reader.u8()
        else { return .damaged }
        guard version == self.version else { return .unknownVersion }
        guard check == ~code, let size = slotSizes.dropFirst(Int(clamping: code)).first else { return .damaged }
        return .slotSize(size)
    }

    /// Returns a slot of exactly `size` bytes; nil when the payload does not fit.
    static func slot(sequence: UInt64, payload: [UInt8], size: Int) -> [UInt8]? {
        guard payload.count <= size &- slotHeaderSize else { return nil }
        var writer = DiskWriter(capacity: size)
        writer.u64(sequence)
        writer.u32(UInt32(clamping: payload.count))
        writer.u32(checksum(prefix: ArraySlice(writer.bytes), payload: ArraySlice(payload)))
        writer.raw(payload)
        return writer.bytes + [UInt8](repeating: 0, count: size &- writer.bytes.count)
    }

    /// A slot whose checksum is valid.
    struct Slot {
        /// 1 or more; the slot with the larger number is newer.
        let sequence: UInt64
        /// The encoded ``DiskMetadata``.
        let payload: ArraySlice<UInt8>
        /// 0 for slot A, 1 for slot B.
        let index: Int
    }

    /// Returns the slots with a valid checksum, the newest first.
    static func slots(inHeader header: [UInt8], slotSize: Int) -> [Slot] {
        guard header.count >= headerSize(slotSize: slotSize) else { return [] }
        return [0, 1].compactMap { index in
            var cursor = ByteCursor(header.span)
            cursor.skip(FileNumber(prefixSize &+ index &* slotSize))
            return cursor.take(FileNumber(slotSize)).flatMap {
                slot(in: ArraySlice(header.span.copy($0)), index: index)
            }
        }.sorted { $0.sequence > $1.sequence }
    }

    private static func slot(in bytes: ArraySlice<UInt8>, index: Int) -> Slot? {
        var reader = DiskReader(bytes)
        guard let sequence = reader.u64(), sequence > 0, let length = reader.u32(), let crc = reader.u32(),
            let payload = reader.bytes(Int(clamping: length))
        else { return nil }
        guard crc == checksum(prefix: bytes.prefix(12), payload: payload) else { return nil }
        return Slot(sequence: sequence, payload: payload, index: index)
    }

    private static func checksum(prefix: ArraySlice<UInt8>, payload: ArraySlice<UInt8>) -> UInt32 {
        let crc = prefix.withUnsafeBytes { pi_crc32c(0, $0.baseAddress, $0.count) }
        return payload.withUnsafeBytes { $0.isEmpty ? crc : pi_crc32c(crc, $0.baseAddress, $0.count) }
    }

    /// XXH3, 64 bits.
    static func bodyChecksum(_ body: [UInt8]) -> UInt64 {
        body.withUnsafeBytes { pi_xxh3_64($0.baseAddress, $0.count) }
    }
}
