extension WorkerCommand {
    var wireBytes: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .start(let slabBytes, let addressSpaceBytes):
            writer.write(UInt8(0))
            writer.write(slabBytes)
            writer.write(addressSpaceBytes)
        case .request(let request):
            writer.write(UInt8(1))
            writer.write(request)
        case .proceed(let number, let slabBytes, let outputStart):
            writer.write(UInt8(2))
            writer.write(number)
            writer.write(slabBytes)
            writer.write(outputStart)
        case .frame(let number, let step, let slabBytes):
            writer.write(UInt8(3))
            writer.write(number)
            writer.write(step.rawValue)
            writer.write(slabBytes)
        case .releaseMemory(let number):
            writer.write(UInt8(4))
            writer.write(number)
        }
        return writer.bytes
    }

    init(wireBytes: [UInt8]) throws(WireError) {
        var reader = WireReader(wireBytes)
        switch try reader.readByte() {
        case 0:
            self = .start(
                slabBytes: try reader.readInt(in: 1 ... .max), addressSpaceBytes: try reader.readInt(in: 0 ... .max))
        case 1: self = .request(try reader.readRequest())
        case 2:
            self = .proceed(
                number: try reader.readUInt64(), slabBytes: try reader.readInt(in: 1 ... .max),
                outputStart: try reader.readInt(in: 0 ... .max))
        case 3:
            let number = try reader.readUInt64()
            guard let step = FrameStep(rawValue: try reader.readByte()) else { throw WireError() }
            self = .frame(number: number, step, slabBytes: try reader.readInt(in: 1 ... .max))
        case 4: self = .releaseMemory(number: try reader.readUInt64())
        default: throw WireError()
        }
        try reader.finish()
    }
}

extension WorkerReport {
    var wireBytes: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .ready(let report):
            writer.write(UInt8(0))
            writer.write(report.noNewPrivileges)
            writer.write(report.hasSystemCallFilter)
            writer.write(report.landlockVersion)
            writer.write(report.hasLimits)
            writer.write(report.errorNumber)
        case .measured(let number, let byteCount, let outputBytes):
            writer.write(UInt8(1))
            writer.write(number)
            writer.writeByteCount(byteCount)
            writer.writeByteCount(outputBytes)
        case .finished(let number, let result):
            writer.write(UInt8(2))
            writer.write(number)
            writer.write(result)
        }
        return writer.bytes
    }

    /// - Parameter request: The request that the worker runs; nil before the first one.
    init(wireBytes: [UInt8], to request: WorkerRequest?) throws(WireError) {
        var reader = WireReader(wireBytes)
        switch try reader.readByte() {
        case 0:
            self = .ready(
                SandboxReport(
                    noNewPrivileges: try reader.readBool(), hasSystemCallFilter: try reader.readBool(),
                    landlockVersion: try reader.readInt(in: 0...Int(Int32.max)), hasLimits: try reader.readBool(),
                    errorNumber: try reader.readInt(in: 0...Int(Int32.max))))
        case 1:
            self = .measured(
                number: try reader.readUInt64(), byteCount: try reader.readByteCount(),
                outputBytes: try reader.readByteCount())
        case 2:
            guard let request else { throw WireError() }
            let number = try reader.readUInt64()
            self = .finished(number: number, try reader.readResult(of: request))
        default: throw WireError()
        }
        try reader.finish()
    }
}

extension WireWriter {
    mutating func write(_ operation: WorkerOperation) {
        switch operation {
        case .header: write(UInt8(0))
        case .iccProfile: write(UInt8(1))
        case .frameInfos: write(UInt8(2))
        case .thumbnailCost(let options):
            write(UInt8(3))
            write(options)
        case .decodeCost: write(UInt8(4))
        case .images(.decode): write(UInt8(5))
        case .images(.thumbnail(let options)):
            write(UInt8(6))
            write(options)
        case .images(.thumbnails(let options, let isComplete)):
            write(UInt8(7))
            write(all: options) { $0.write($1) }
            write(isComplete)
        case .images(.thumbnailsByPlan(let options)):
            write(UInt8(8))
            write(all: options) { $0.write($1) }
        case .frames: write(UInt8(9))
        case .sourceProfile: write(UInt8(10))
        case .metadata: write(UInt8(11))
        case .headerAndCost(let options):
            write(UInt8(12))
            write(options)
        case .preparedMetadata(let request):
            write(UInt8(13))
            write(request.policy.rawValue)
            write(request.width)
            write(request.height)
            write(request.hasProfile)
        }
    }

    fileprivate mutating func write(_ request: WorkerRequest) {
        write(request.number)
        write(request.operation)
        write(request.options)
        write(request.contentType?.description)
        switch request.input {
        case .slab: write(false)
        case .descriptor: write(true)
        }
        write(request.input.byteCount)
        write(request.deadline)
        write(request.slabBytes)
        write(request.output) { (writer, place) in
            writer.write(place.start)
            writer.write(place.byteCount)
        }
    }

    fileprivate mutating func write(_ plan: ThumbnailPlan) {
        write(plan.scaleDenominator)
        write(plan.skippedDetail)
    }

    fileprivate mutating func write(_ image: WorkerImage) {
        for number in [image.offset, image.width, image.height] { write(number) }
    }

    fileprivate mutating func write(_ result: WorkerResult) {
        switch result {
        case .failure(let error):
            write(UInt8(0))
            write(error)
        case .header(let header), .frames(let header):
            write(UInt8(1))
            write(header)
        case .iccProfile(let profile):
            write(UInt8(1))
            write(profile) { $0.write($1) }
        case .metadata(let metadata):
            write(UInt8(1))
            for block in [metadata.exif, metadata.xmp, metadata.iptc] { write(block) { $0.write($1) } }
        case .preparedMetadata(let prepared):
            write(UInt8(1))
            let metadata = prepared.metadata
            for block in [metadata.exif, metadata.xmp, metadata.iptc, prepared.jpegEXIF, prepared.webPEXIF] {
                write(block) { $0.write($1) }
            }
        case .sourceProfile(let source, let profile):
            write(UInt8(1))
            write(source.rawValue)
            write(profile) { $0.write($1) }
        case .frameInfos(let infos):
            write(UInt8(1))
            write(all: infos) { $0.write($1) }
        case .cost(let byteCount, let plan):
            write(UInt8(1))
            writeByteCount(byteCount)
            write(plan) { $0.write($1) }
        case .headerAndCost(let header, let cost):
            write(UInt8(1))
            write(header)
            write(cost) { writer, cost in
                writer.writeByteCount(cost.byteCount)
                writer.write(cost.plan)
            }
        case .images(let images, let positions, let decodeCount):
            write(UInt8(1))
            write(all: images) { writer, image in
                writer.write(image.place)
                writer.write(image.header)
                writer.write(image.status)
            }
            write(all: positions) { writer, position in
                switch position {
                case .success(let index):
                    writer.write(true)
                    writer.write(index)
                case .failure(let error):
                    writer.write(false)
                    writer.write(error)
                }
            }
            write(decodeCount)
        case .frame(let info, let status):
            write(UInt8(2))
            switch info {
            case .success(let info):
                write(true)
                write(info) { $0.write($1) }
            case .failure(let error):
                write(false)
                write(error)
            }
            write(status)
        case .pixels(let image):
            write(UInt8(3))
            write(image) { $0.write($1) }
        }
    }
}

extension WireReader {
    fileprivate mutating func readOperation() throws(WireError) -> WorkerOperation {
        func readAllOptions(_ reader: inout WireReader) throws(WireError) -> [ThumbnailOptions] {
            try reader.readAll(maxCount: WorkerOperation.maxThumbnails) { (reader) throws(WireError) in
                try reader.readThumbnailOptions()
            }
        }
        switch try readByte() {
        case 0: return .header
        case 1: return .iccProfile
        case 2: return .frameInfos
        case 3: return .thumbnailCost(try readThumbnailOptions())
        case 4: return .decodeCost
        case 5: return .images(.decode)
        case 6: return .images(.thumbnail(try readThumbnailOptions()))
        case 7: return .images(.thumbnails(try readAllOptions(&self), isComplete: try readBool()))
        case 8: return .images(.thumbnailsByPlan(try readAllOptions(&self)))
        case 9: return .frames
        case 10: return .sourceProfile
        case 11: return .metadata
        case 12: return .headerAndCost(try readThumbnailOptions())
        case 13:
            return .preparedMetadata(
                PreparedMetadata.Request(
                    policy: try readCase(MetadataPolicy.self), width: try readInt(), height: try readInt(),
                    hasProfile: try readBool()))
        default: throw WireError()
        }
    }

    fileprivate mutating func readRequest() throws(WireError) -> WorkerRequest {
        let number = try readUInt64()
        let operation = try readOperation()
        let options = try readDecodeOptions()
        let contentType = try readContentType()
        let isDescriptor = try readBool()
        let byteCount = try readInt(in: 0 ... .max)
        return WorkerRequest(
            number: number, operation: operation, options: options, contentType: contentType,
            input: isDescriptor ? .descriptor(byteCount: byteCount) : .slab(byteCount: byteCount),
            deadline: try readOptionalInt(), slabBytes: try readInt(in: 1 ... .max),
            output: try readOptional { (reader) throws(WireError) in
                WorkerOutputPlace(
                    start: try reader.readInt(in: 0 ... .max), byteCount: try reader.readInt(in: 0 ... .max))
            })
    }

    fileprivate mutating func readImage() throws(WireError) -> WorkerImage {
        let sides = 1...Int(Int32.max)
        return WorkerImage(
            offset: try readInt(in: 0 ... .max), width: try readInt(in: sides), height: try readInt(in: sides))
    }

    fileprivate mutating func readResult(of request: WorkerRequest) throws(WireError) -> WorkerResult {
        switch try readByte() {
        case 0: .failure(try readError())
        case 1: try readSuccess(of: request)
        case 2 where request.operation == .frames:
            .frame(try readFrameResult(), try readStatus())
        case 3 where request.operation == .frames:
            .pixels(try readOptional { (reader) throws(WireError) in try reader.readImage() })
        default: throw WireError()
        }
    }

    private mutating func readFrameResult() throws(WireError) -> Result<FrameInfo?, DecodeError> {
        guard try readBool() else { return .failure(try readError()) }
        return .success(try readOptional { (reader) throws(WireError) in try reader.readFrameInfo() })
    }

    private mutating func readSuccess(of request: WorkerRequest) throws(WireError) -> WorkerResult {
        switch request.operation {
        case .header: return .header(try readHeader(of: request))
        case .frames: return .frames(try readHeader(of: request))
        case .iccProfile:
            return .iccProfile(
                try readOptional { (reader) throws(WireError) in try reader.readBytes(maxCount: Int(UInt32.max)) })
        case .sourceProfile:
            return .sourceProfile(
                try readCase(ProfilePolicy.Source.self),
                try readOptional { (reader) throws(WireError) in try reader.readBytes(maxCount: Int(UInt32.max)) })
        case .metadata:
            let maxCount = request.options.limits.maxMetadataItem ?? .max
            func readBlock(_ reader: inout WireReader) throws(WireError) -> [UInt8]? {
                try reader.readOptional { (reader) throws(WireError) in try reader.readBytes(maxCount: maxCount) }
            }
            let exif = try readBlock(&self)
            let xmp = try readBlock(&self)
            return .metadata(ImageMetadata(exif: exif, xmp: xmp, iptc: try readBlock(&self)))
        case .preparedMetadata(let wanted):
            func readBlock(_ reader: inout WireReader, maxCount: Int) throws(WireError) -> [UInt8]? {
                try reader.readOptional { (reader) throws(WireError) in try reader.readBytes(maxCount: maxCount) }
            }
            let maxItem = request.options.limits.maxMetadataItem ?? .max
            // Only EXIF can be larger than its source: the maker note keeps its place.
            let maxEXIF = FileNumber(maxItem).timesClamped(2).plusClamped(65_536).clamped(to: 0 ... .max)
            let exif = try readBlock(&self, maxCount: maxEXIF)
            let xmp = try readBlock(&self, maxCount: maxItem)
            let iptc = try readBlock(&self, maxCount: maxItem)
            let jpegEXIF = try readBlock(&self, maxCount: PreparedMetadata.maxJPEGByteCount)
            let webPEXIF = try readBlock(&self, maxCount: maxEXIF)
            return .preparedMetadata(
                PreparedMetadata(
                    wanted, metadata: ImageMetadata(exif: exif, xmp: xmp, iptc: iptc), jpegEXIF: jpegEXIF,
                    webPEXIF: webPEXIF))
        case .frameInfos:
            let maxCount = request.options.limits.maxFrames ?? .max
            return .frameInfos(
                try readAll(maxCount: maxCount) { (reader) throws(WireError) in try reader.readFrameInfo() })
        case .decodeCost: return try readCost()
        case .thumbnailCost: return try readCost()
        case .headerAndCost:
            return .headerAndCost(
                try readHeader(of: request),
                cost: try readOptional { (reader) throws(WireError) in
                    WorkerResult.Cost(byteCount: max(1, try reader.readByteCount()), plan: try reader.readPlan())
                })
        case .images(.decode), .images(.thumbnail): return try readImages(of: request, count: 1)
        case .images(.thumbnails(let options, _)), .images(.thumbnailsByPlan(let options)):
            return try readImages(of: request, count: options.count)
        }
    }

    private mutating func readHeader(of request: WorkerRequest) throws(WireError) -> ImageHeader {
        try readHeader(inputByteCount: request.input.byteCount, declared: request.contentType)
    }

    private mutating func readCost() throws(WireError) -> WorkerResult {
        .cost(
            byteCount: max(1, try readByteCount()),
            plan: try readOptional { (reader) throws(WireError) in try reader.readPlan() })
    }

    private mutating func readPlan() throws(WireError) -> ThumbnailPlan {
        let denominator = try readInt(in: 1...8)
        return ThumbnailPlan(scaleDenominator: denominator, detail: SkippedDetail(rawValue: try readByte()))
    }

    /// - Parameter count: Number of requested images.
    private mutating func readImages(of request: WorkerRequest, count: Int) throws(WireError) -> WorkerResult {
        let images = try readAll(maxCount: count) { (reader) throws(WireError) in
            WorkerResult.Image(
                place: try reader.readImage(), header: try reader.readHeader(of: request),
                status: try reader.readStatus())
        }
        let positions = try readAll(maxCount: count) { (reader) throws(WireError) -> Result<Int, DecodeError> in
            guard try reader.readBool() else { return .failure(try reader.readError()) }
            return .success(try reader.readInt(in: 0 ... .max))
        }
        guard positions.count == count else { throw WireError() }
        for case .success(let index) in positions where index >= images.count { throw WireError() }
        return .images(images, positions, decodeCount: try readInt(in: 0...max(1, count)))
    }
}
