/// How a stored picture has to be turned to be upright: the EXIF values 1 to 8 (tag 274).
public enum Orientation: UInt8, CaseIterable, Sendable {
    case up = 1, upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

    /// True when showing the picture upright swaps width and height.
    public var swapsSides: Bool { rawValue >= 5 }
}
