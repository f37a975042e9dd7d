/// How a stored picture has to be turned to be upright: the EXIF values 1 to 8 (tag 274).
public enum Orientation: UInt8, CaseIterable, Sendable {
    /// As it is.
    case up = 1
    /// Mirrored left to right.
    case upMirrored
    /// Turned by 180 degrees.
    case down
    /// Mirrored top to bottom.
    case downMirrored
    /// Mirrored along the diagonal from top left: rows become columns.
    case leftMirrored
    /// Has to be turned by 90 degrees clockwise.
    case right
    /// Mirrored along the diagonal from top right.
    case rightMirrored
    /// Has to be turned by 90 degrees counterclockwise.
    case left

    /// True when showing the picture upright swaps width and height.
    public var swapsSides: Bool { rawValue >= 5 }
}
