#if Service
import PlatformImage

extension Duration {
    /// Milliseconds with thousandths.
    var milliseconds: Double { Double(microsecondCount) / 1_000 }
}
#endif
