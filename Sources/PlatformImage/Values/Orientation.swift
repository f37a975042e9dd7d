/// The transformation that makes a stored image upright: EXIF values 1 to 8 (tag 274).
public enum Orientation: UInt8, CaseIterable, Sendable {
    /// No transformation.
    case up = 1
    /// Mirror left to right.
    case upMirrored
    /// Rotate by 180 degrees.
    case down
    /// Mirror top to bottom.
    case downMirrored
    /// Mirror along the diagonal from top left (transpose): rows become columns.
    case leftMirrored
    /// Rotate by 90 degrees clockwise.
    case right
    /// Mirror along the diagonal from top right (transverse).
    case rightMirrored
    /// Rotate by 90 degrees counterclockwise.
    case left

    /// True when width and height are swapped in the upright image.
    public var swapsSides: Bool { rawValue >= 5 }
}
