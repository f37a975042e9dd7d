/// An angle for ``Bitmap/rotated(by:)``, clockwise; the raw value is the angle in degrees.
public enum RotationAngle: Int, CaseIterable, Sendable {
    /// A quarter turn clockwise: the left column becomes the top row.
    case degrees90 = 90
    /// A half turn.
    case degrees180 = 180
    /// A quarter turn counterclockwise: the right column becomes the top row.
    case degrees270 = 270

    /// The orientation that has the same effect.
    public var orientation: Orientation {
        switch self {
        case .degrees90: .right
        case .degrees180: .down
        case .degrees270: .left
        }
    }
}
