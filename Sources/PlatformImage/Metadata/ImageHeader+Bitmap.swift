extension ImageHeader {
    /// What a file would say that has this bitmap and nothing else in it, as a PNG of eight bits a channel with alpha.
    package init(of bitmap: Bitmap) {
        self.init(
            format: .png, width: bitmap.width, height: bitmap.height, bitsPerChannel: 8, channelCount: 4,
            colorModel: .rgb, hasAlpha: true, frameCount: 1)
    }
}

extension DecodedImage {
    /// A bitmap that comes from no file.
    package init(_ bitmap: Bitmap) { self.init(bitmap: bitmap, header: ImageHeader(of: bitmap), status: .complete) }
}
