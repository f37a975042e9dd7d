#if Service
import PlatformImage

/// Which format a result gets, as far as the header of the source tells.
enum ResultFormat: Hashable {
    case fixed(EncodedFormat)
    /// JPEG when no pixel of the result lets anything shine through, PNG otherwise.
    case jpegIfOpaque

    /// A wish for a format that is not written here counts as none. Then the source's format is kept if it is; others
    /// become PNG when they may have transparency or a palette, JPEG otherwise.
    init(_ wish: OutputWish, source: ImageHeader) {
        switch (wish.format.flatMap(EncodedFormat.init), source.format) {
        case (let format?, _): self = .fixed(format)
        case (nil, .jpeg): self = .fixed(.jpeg)
        case (nil, .png): self = wish.prefersJPEG ? .jpegIfOpaque : .fixed(.png)
        case (nil, _):
            let needsPNG = source.hasAlpha || source.colorModel == .indexed
            self = needsPNG ? (wish.prefersJPEG ? .jpegIfOpaque : .fixed(.png)) : .fixed(.jpeg)
        }
    }
}

extension EncodedFormat {
    /// Nil for what is not written here.
    init?(_ wish: OutputWish.Format) {
        switch wish {
        case .png: self = .png
        case .jpeg: self = .jpeg
        default: return nil
        }
    }
}
#endif
