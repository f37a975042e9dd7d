extension IIIFDialect {
    /// Parses `full`, `square`, `x,y,w,h` or `pct:x,y,w,h`.
    static func region(_ text: ArraySlice<UInt8>) throws(ServiceError) -> Operations.Region {
        if text.elementsEqual("full".utf8) { return .full }
        if text.elementsEqual("square".utf8) { return .square }
        if text.starts(with: "pct:".utf8) {
            let numbers = numbers(text.dropFirst(4), Number.decimal)
            let zero = FixedDecimal(0)
            guard numbers.count == 4, numbers.allSatisfy({ $0 >= zero }), numbers[2] > zero, numbers[3] > zero
            else { throw .malformed("a region pct:x,y,w,h requires numbers of 0 or more, with w and h greater than 0") }
            if numbers[0] == zero, numbers[1] == zero, min(numbers[2], numbers[3]) >= FixedDecimal(100) {
                return .full
            }
            return .percent(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
        }
        let numbers = numbers(text) { Number.unsigned($0) }
        guard numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else {
            throw .malformed(
                "invalid region; expected full, square, x,y,w,h or pct:x,y,w,h, with w and h greater than 0")
        }
        return .pixels(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }

    /// Parses `max`, `w,`, `,h`, `w,h`, `pct:n` or `!w,h`, each with an optional prefix `^`.
    static func size(_ text: ArraySlice<UInt8>) throws(ServiceError) -> IIIFSize {
        let allowsUpscaling = text.first == UInt8(ascii: "^")
        let rest = allowsUpscaling ? text.dropFirst() : text
        guard let form = form(rest) else {
            throw .malformed(
                "invalid size; expected `max`, `w,`, `,h`, `w,h`, `pct:n` or `!w,h`, with or without the prefix ^")
        }
        if case .percent(let percent) = form, !allowsUpscaling, percent > FixedDecimal(100) {
            throw .malformed("a size over 100 percent requires the prefix ^")
        }
        return IIIFSize(form: form, allowsUpscaling: allowsUpscaling)
    }

    private static func form(_ text: ArraySlice<UInt8>) -> IIIFSize.Form? {
        if text.elementsEqual("max".utf8) { return .max }
        if text.starts(with: "pct:".utf8) {
            guard let percent = Number.decimal(text.dropFirst(4)), percent > FixedDecimal(0) else { return nil }
            return .percent(percent)
        }
        let isConfined = text.first == UInt8(ascii: "!")
        let sides = (isConfined ? text.dropFirst() : text).split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let (width, height) = (Number.unsigned(sides[0]), Number.unsigned(sides[1]))
        // Each side must be empty or a number greater than 0.
        guard width != nil || sides[0].isEmpty, height != nil || sides[1].isEmpty, width != 0, height != 0
        else { return nil }
        switch (width, height) {
        case (let width?, let height?):
            return isConfined ? .confined(width: width, height: height) : .exact(width: width, height: height)
        case (let width?, nil): return isConfined ? nil : .width(width)
        case (nil, let height?): return isConfined ? nil : .height(height)
        case (nil, nil): return nil
        }
    }

    /// Parses `n` or `!n`, a multiple of 90 degrees clockwise from 0 to 360.
    static func rotation(_ text: ArraySlice<UInt8>) throws(ServiceError) -> (isMirrored: Bool, quarterTurns: Int) {
        let isMirrored = text.first == UInt8(ascii: "!")
        let quarter = 90 * FixedDecimal.scale
        guard let degrees = Number.decimal(isMirrored ? text.dropFirst() : text), text.first != UInt8(ascii: "-"),
            degrees >= FixedDecimal(0), degrees <= FixedDecimal(360), degrees.units % quarter == 0
        else { throw .malformed("invalid rotation; expected 0, 90, 180 or 270, with or without the prefix !") }
        return (isMirrored, degrees.units / quarter % 4)
    }

    /// Parses the numbers between commas; returns an empty array when one of them is invalid.
    private static func numbers<Value>(
        _ text: ArraySlice<UInt8>, _ read: (ArraySlice<UInt8>) -> Value?
    ) -> [Value] {
        let texts = text.split(separator: UInt8(ascii: ","), maxSplits: 4, omittingEmptySubsequences: false)
        let values = texts.compactMap(read)
        return values.count == texts.count ? values : []
    }
}
