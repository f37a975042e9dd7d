#if Service
extension Operations {
    /// Takes out what cannot change a pixel, so that requests which must give equal bytes are equal.
    ///
    /// - Parameter keepsFocus: The answer names the focal points even where they place nothing.
    mutating func removeIneffective(keepsFocus: Bool) {
        if case .box(let left, let top, let right, let bottom) = region, left >= right || top >= bottom {
            region = .whole
        }
        focus.boxes.removeAll { $0.left >= $0.right || $0.top >= $0.bottom }
        guard case .thumbor(var size) = self.size else { return }
        if size.width == .proportional, size.height == .proportional { size.mode = .cover }
        let sides = [size.width, size.height]
        let hasNumber = sides.contains { if case .pixels = $0 { true } else { false } }
        size.forbidsUpscaling = size.forbidsUpscaling && hasNumber
        if case .fit(let full, _) = size.mode, size.width == size.height {
            size.mode = .fit(full: full, adaptive: false)
        }
        self.size = .thumbor(size)
        let isCut = size.mode == .cover && sides != [.proportional, .proportional]
        if !isCut, !keepsFocus { focus = Focus() }
    }
}
#endif
