/// The image type of this package: what `UIImage` is on iOS and `NSImage` on macOS, here a decoded ``Bitmap``.
///
/// The module has the same name; where a name of the module must be qualified, write `PlatformImage::Bitmap`
/// (Swift 6.3).
public typealias PlatformImage = Bitmap
