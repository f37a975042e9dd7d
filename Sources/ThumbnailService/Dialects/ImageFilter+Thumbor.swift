import PlatformImage

extension ImageFilter {
    /// Parses a thumbor filter. Returns its render steps: an empty array for no effect, nil for an unknown name.
    ///
    /// - Throws: `malformed` for bad arguments.
    static func named(_ name: String, _ text: ArraySlice<UInt8>) throws(ServiceError) -> [ImageFilter]? {
        guard let read = readers[name] else { return nil }
        var arguments = try FilterArguments(of: name, text)
        let steps: [ImageFilter]
        do throws(ServiceError) { steps = try read(&arguments) } catch { throw error }
        try arguments.end()
        return steps
    }

    private typealias Reader = @Sendable (inout FilterArguments) throws(ServiceError) -> [ImageFilter]

    private static let percent = -1000...1000
    private static let zero = FixedDecimal(0)
    private static let thousand = FixedDecimal(1000)

    private static let readers: [String: Reader] = [
        "upscale": { _ in [.upscale] },
        "grayscale": { _ in [.pixels(.grayscale)] },
        "equalize": { _ in [.pixels(.equalize)] },
        "proportion": proportion,
        "rotate": rotation,
        "fill": fill,
        "background_color": backgroundColor,
        "blur": blur,
        "sharpen": sharpen,
        "brightness": { (arguments) throws(ServiceError) in
            [.pixels(.brightness(try arguments.integer(percent)))]
        },
        "contrast": { (arguments) throws(ServiceError) in [.pixels(.contrast(try arguments.integer(percent)))] },
        "saturation": { (arguments) throws(ServiceError) in
            [.pixels(.saturation(try arguments.decimal(FixedDecimal(-1000)...thousand)))]
        },
        "rgb": rgb,
        "round_corner": roundCorner,
        "convolution": convolution,
    ]

    @Sendable private static func proportion(_ arguments: inout FilterArguments) throws(ServiceError) -> [ImageFilter] {
        let factor = try arguments.decimal(FixedDecimal(units: 1)...FixedDecimal(1))
        return factor == FixedDecimal(1) ? [] : [.proportion(factor)]
    }

    /// Parses `rotate`; thumbor's angles are counterclockwise.
    @Sendable private static func rotation(_ arguments: inout FilterArguments) throws(ServiceError) -> [ImageFilter] {
        let degrees = try arguments.integer(-Number.max...Number.max)
        guard degrees % 90 == 0 else { throw arguments.malformed }
        let turns = (4 - (degrees / 90) % 4) % 4
        return turns == 0 ? [] : [.rotate(quarterTurns: turns)]
    }

    @Sendable private static func fill(_ arguments: inout FilterArguments) throws(ServiceError) -> [ImageFilter] {
        let color: FillColor
        switch String(decoding: try arguments.text(), as: UTF8.self) {
        case "auto": color = .average
        case "blur": color = .blur
        case let text:
            guard let named = RGBA8(named: text) else { throw arguments.malformed }
            color = .color(named)
        }
        return [.fill(color, blendsTransparency: arguments.hasMore ? try arguments.boolean() : false)]
    }

    @Sendable private static func backgroundColor(
        _ arguments: inout FilterArguments
    ) throws(ServiceError) -> [ImageFilter] {
        guard let color = RGBA8(named: String(decoding: try arguments.text(), as: UTF8.self)) else {
            throw arguments.malformed
        }
        return [.pixels(.backgroundColor(color))]
    }

    /// Parses `blur`: a radius and an optional sigma. A missing sigma, or a sigma of 0, becomes the given radius, but
    /// at most 1000. After that, a radius over 150 becomes 150.
    @Sendable private static func blur(_ arguments: inout FilterArguments) throws(ServiceError) -> [ImageFilter] {
        let radius = try arguments.integer(1...Number.max)
        let sigma = arguments.hasMore ? try arguments.decimal(zero...thousand) : zero
        return [
            .pixels(.blur(radius: min(radius, 150), sigma: sigma == zero ? FixedDecimal(min(radius, 1000)) : sigma))
        ]
    }

    @Sendable private static func sharpen(_ arguments: inout FilterArguments) throws(ServiceError) -> [ImageFilter] {
        let amount = try arguments.decimal(zero...thousand)
        let radius = try arguments.decimal(zero...thousand)
        return [.pixels(.sharpen(amount: amount, radius: radius, luminanceOnly: try arguments.boolean()))]
    }

    @Sendable private static func rgb(_ arguments: inout FilterArguments) throws(ServiceError) -> [ImageFilter] {
        let red = try arguments.integer(percent)
        let green = try arguments.integer(percent)
        return [.pixels(.rgb(red: red, green: green, blue: try arguments.integer(percent)))]
    }

    /// Parses `radius` or `across|down`, the colour of the corners, and an optional flag for transparent corners.
    @Sendable private static func roundCorner(_ arguments: inout FilterArguments) throws(ServiceError) -> [ImageFilter]
    {
        let radii = try arguments.text().split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
        guard let across = radii.first.flatMap({ Number.unsigned($0) }), radii.count <= 2,
            let down = radii.count == 2 ? Number.unsigned(radii[1]) : across
        else { throw arguments.malformed }
        var samples: [UInt8] = []
        for _ in 0..<3 { samples.append(UInt8(try arguments.integer(0...255))) }
        let isTransparent = arguments.hasMore ? try arguments.boolean() : false
        let color = RGBA8(red: samples[0], green: samples[1], blue: samples[2])
        return [
            .pixels(
                .roundCorner(
                    horizontalRadius: across, verticalRadius: down, color: color, isTransparent: isTransparent))
        ]
    }

    /// Parses weights separated by semicolons, the number of columns, and an optional flag for normalization.
    @Sendable private static func convolution(_ arguments: inout FilterArguments) throws(ServiceError) -> [ImageFilter]
    {
        let texts = try arguments.text().split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        var weights: [FixedDecimal] = []
        for text in texts.prefix(PixelFilter.maxWeights + 1) {
            guard let weight = Number.decimal(text) else { throw arguments.malformed }
            weights.append(weight)
        }
        let columns = try arguments.integer(1...PixelFilter.maxWeights)
        guard weights.count <= PixelFilter.maxWeights, weights.count % columns == 0 else { throw arguments.malformed }
        let normalizes = arguments.hasMore ? try arguments.boolean() : true
        return [.pixels(.convolution(weights: weights, columns: columns, normalizes: normalizes))]
    }
}
