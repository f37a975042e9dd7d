import PlatformImage
import PlatformImageTestSupport
import Testing

/// Limits for small files that request much work (strips that share their bytes) or memory (large windows).
@Suite struct TIFFWorkTests {
    private func decodeError(_ file: TIFFFile, _ change: (inout DecodeLimits) -> Void = { _ in }) -> DecodeError? {
        var decoder = ImageDecoder(options: .asStored)
        change(&decoder.options.limits)
        do throws(DecodeError) {
            _ = try decoder.decode(file.bytes)
            return nil
        } catch {
            return error
        }
    }

    /// Rows of one pixel; each is a strip, and all strips share the same bytes.
    private func shared(_ compression: Int, _ strip: [UInt8], times: Int) -> TIFFFile {
        var file = TIFFFile(
            width: 1, height: times, bits: [8], samples: 1, photometric: 1, compression: compression, strips: [strip])
        file.listedTimes = times
        file[278] = [1]
        return file
    }

    /// 3,000 strips share 16 KiB of input in a file of 40 kB. The estimated decoding time is 4.9 s (100 ns per byte);
    /// the limit is about 2 s.
    @Test(.requirement("X4"), arguments: [8, 32946, 32909, 50000])
    func manyStripsWithTheSameLargeInputBytesThrowLimitExceeded(_ compression: Int) {
        let error = decodeError(shared(compression, [UInt8](repeating: 0, count: 16384), times: 3000))

        #expect(error?.code == .limitExceeded)
        #expect(error?.detail == "maxMemory")
    }

    @Test(.requirement("X4")) func manyStripsWithTheSameLargeInputBytesThrowLimitExceededEvenWithoutMaxMemory() {
        let error = decodeError(shared(8, [UInt8](repeating: 0, count: 16384), times: 3000)) { $0.maxMemory = nil }

        #expect(error?.code == .limitExceeded)
    }

    /// The strip is a stored DEFLATE block. Its checksum is the Adler-32 of one byte of value 77.
    @Test(.requirement("X4")) func manyStripsWithTheSameSmallInputBytesAreDecoded() throws {
        let strip: [UInt8] = [0x78, 0x01, 0x01, 1, 0, 0xFE, 0xFF, 77, 0, 78, 0, 78]

        let image = try ImageDecoder(options: .asStored).decode(shared(8, strip, times: 20_000).bytes)

        #expect(image.status == .complete)
        #expect(image.bitmap.copyBytes().prefix(4) == [77, 77, 77, 255])
    }

    // Windows

    private func crc32(_ bytes: [UInt8]) -> [UInt8] {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return (0..<4).map { (i: Int) -> UInt8 in UInt8(truncatingIfNeeded: ~crc >> UInt32(8 * i)) }
    }

    /// An .xz block: LZMA2 with the encoded dictionary size and one uncompressed chunk.
    private func block(dictionary: UInt8, _ data: [UInt8], crcChange: UInt8 = 0) -> [UInt8] {
        let header: [UInt8] = [2, 0, 0x21, 1, dictionary, 0, 0, 0]
        var crc = crc32(header)
        crc[0] ^= crcChange
        var block = header + crc
        block += [1, UInt8((data.count - 1) >> 8), UInt8((data.count - 1) & 255)] as [UInt8]
        block += data
        block.append(0)
        while !block.count.isMultiple(of: 4) { block.append(0) }
        return block
    }

    private func lzma(_ blocks: [[UInt8]], height: Int) -> TIFFFile {
        let stream: [UInt8] = [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 0] + crc32([0, 0])
        return TIFFFile(
            width: 8, height: height, bits: [8], samples: 1, photometric: 1, compression: 34925,
            strips: [stream + blocks.joined()])
    }

    private let samples: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

    /// Dictionary sizes (.xz format, section 5.3.1): 40 is 4 GiB minus one byte, 36 is 1 GiB, 22 is 8 MiB.
    @Test(.requirement("X15"), arguments: [40, 36] as [UInt8])
    func lzmaDictionaryAboveMaxMemoryThrowsLimitExceeded(_ dictionary: UInt8) {
        let error = decodeError(lzma([block(dictionary: dictionary, samples)], height: 1))

        #expect(error?.code == .limitExceeded)
        #expect(error?.detail == "maxMemory")
    }

    @Test(.requirement("X15")) func lzmaDataWithADictionaryBelowMaxMemoryIsDecoded() throws {
        let file = lzma([block(dictionary: 22, samples)], height: 1)

        let pixels = try ImageDecoder(options: .asStored).decode(file.bytes).bitmap.copyBytes()

        #expect(stride(from: 0, to: 32, by: 4).map { pixels[$0] } == samples)
    }

    @Test(.requirement("X15")) func secondLZMABlockWithADictionaryAboveMaxMemoryThrowsLimitExceeded() {
        let blocks = [block(dictionary: 0, samples), block(dictionary: 40, samples)]

        #expect(decodeError(lzma(blocks, height: 2))?.detail == "maxMemory")
    }

    @Test(.requirement("X15")) func bitReversedLZMADataWithADictionaryAboveMaxMemoryThrowsLimitExceeded() {
        var file = lzma([block(dictionary: 40, samples)], height: 1)
        func reversed(_ byte: UInt8) -> UInt8 {
            var result: UInt8 = 0
            for bit in 0..<8 as Range<UInt8> where byte & 1 << bit != 0 { result |= 0x80 >> bit }
            return result
        }
        file.strips[0] = file.strips[0].map(reversed)
        file[266] = [2]

        #expect(decodeError(file)?.detail == "maxMemory")
    }

    /// liblzma allocates nothing for a header with a wrong CRC32, so this is damage and not an exceeded limit.
    @Test(.requirement("X15")) func lzmaHeaderWithAWrongCRCIsMalformed() {
        let file = lzma([block(dictionary: 40, samples, crcChange: 1)], height: 1)

        #expect(decodeError(file)?.code == .malformed)
    }

    /// The frame has one raw block; exponent 17 means a window of 128 MiB (RFC 8878, 3.1.1.1.2).
    @Test(.requirement("X15")) func zstandardWindowAboveMaxMemoryThrowsLimitExceeded() throws {
        let header: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 17 << 3, 8 << 3 | 1, 0, 0]
        let frame = header + samples
        let file = TIFFFile(
            width: 8, height: 1, bits: [8], samples: 1, photometric: 1, compression: 50000, strips: [frame])

        #expect(decodeError(file) == nil)
        #expect(decodeError(file) { $0.maxMemory = 64 << 20 }?.detail == "maxMemory")
    }
}
