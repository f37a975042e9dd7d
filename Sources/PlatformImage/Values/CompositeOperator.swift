/// The compositing operators of Porter and Duff (Compositing Digital Images, SIGGRAPH 1984).
///
/// Source is the overlay, destination the bitmap below it. With the alphas `as`, multiplied by the opacity, and `ad`
/// (0...1), an operator shows the fractions `fs` and `fd` of both; the resulting alpha is `a = as fs + ad fd`, and a
/// resulting colour is `(cs as fs + cd ad fd) / a`.
public enum CompositeOperator: String, CaseIterable, Sendable {
    /// Nothing: `fs = 0`, `fd = 0`.
    case clear
    /// The source alone: `fs = 1`, `fd = 0`.
    case source
    /// The destination alone: `fs = 0`, `fd = 1`.
    case destination
    /// The source in front of the destination: `fs = 1`, `fd = 1 - as`.
    case sourceOver
    /// The source behind the destination: `fs = 1 - ad`, `fd = 1`.
    case destinationOver
    /// The part of the source inside the destination: `fs = ad`, `fd = 0`.
    case sourceIn
    /// The part of the destination inside the source, which masks it: `fs = 0`, `fd = as`.
    case destinationIn
    /// The part of the source outside the destination: `fs = 1 - ad`, `fd = 0`.
    case sourceOut
    /// The part of the destination outside the source: `fs = 0`, `fd = 1 - as`.
    case destinationOut
    /// The part of the source inside the destination, in front of the destination: `fs = ad`, `fd = 1 - as`.
    case sourceAtop
    /// The part of the destination inside the source, in front of the source: `fs = 1 - ad`, `fd = as`.
    case destinationAtop
    /// The parts of both outside the other: `fs = 1 - ad`, `fd = 1 - as`.
    case xor

    /// True when the destination is unchanged where the source is transparent: `fd` is 1 for `as = 0`. The other
    /// operators clear it there.
    public var keepsUncoveredDestination: Bool {
        switch self {
        case .destination, .sourceOver, .destinationOver, .destinationOut, .sourceAtop, .xor: true
        case .clear, .source, .sourceIn, .destinationIn, .sourceOut, .destinationAtop: false
        }
    }
}
