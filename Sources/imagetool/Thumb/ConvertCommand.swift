import PlatformImage
import PlatformImageToolSupport

/// `imagetool convert`: writes whole images in another format.
struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Converts whole images to PNG, JPEG, WebP or GIF: upright, by default in sRGB and without metadata.",
        discussion: """
            The options are those of thumb, without a size. The output is a file, a folder, - for stdout, or a \
            template with {dir}, {name}, {w}, {h} and {ext}; missing folders are created. With several inputs, a \
            list or a pattern, an output without placeholders and without the extension of an image is a folder. Of \
            an animation the first frame is converted; --frame all converts all frames. Files are written \
            atomically. Exit codes are those of decode; with several inputs, all inputs are processed and the exit \
            code is 1 if any input failed; 130 after SIGINT. The last line on stderr is the number of files that \
            were written, skipped and failed, with the reasons.
            """)

    @OptionGroup var batch: BatchOptions
    @OptionGroup var image: ImageOptions

    func validate() throws { try batch.validate([recipe()]) }

    func run() async throws { try await batch.run([recipe()], format: image.format) }

    /// Every sample of the image is decoded and none is resampled.
    private func recipe() throws -> ThumbRecipe {
        var options = ThumbnailOptions()
        options.quality = .exact
        return try image.recipe(options)
    }
}
