import PlatformImage

extension Duration {
    /// The duration in milliseconds, with microsecond resolution.
    var milliseconds: Double { Double(microsecondCount) / 1_000 }
}
