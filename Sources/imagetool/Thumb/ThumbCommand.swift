import PlatformImage
import PlatformImageToolSupport

/// `imagetool thumb`: writes thumbnails of images.
struct ThumbCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumb",
        abstract: "Creates thumbnails: upright, by default in sRGB and without metadata, as PNG, JPEG, WebP or GIF.",
        discussion: """
            A size is WxH, Wx, xH, or N for a square box; by default the image fits into the box and is not enlarged. \
            As in ImageMagick, the suffix ^ covers the box, ! fills it exactly, and > never enlarges, even with \
            --enlarge.
            The output is a file, a folder, - for stdout, or a template with {dir}, {name}, {size}, {w}, {h} and \
            {ext}; missing folders are created. With several inputs or sizes, a list or a pattern, an output without \
            placeholders and without the extension of an image is a folder. With several sizes, the names in a folder \
            end with the size: {name}-{size}.{ext}. Files are written atomically. Exit codes are those of decode; with \
            several inputs, all inputs are processed and the exit code is 1 if any input failed; 130 after SIGINT. The \
            last line on stderr is the number of files that were written, skipped and failed, with the reasons.
            """)

    @OptionGroup var batch: BatchOptions
    @OptionGroup var image: ThumbOptions

    func validate() throws { try batch.validate(image.recipes()) }

    func run() async throws { try await batch.run(image.recipes(), format: image.image.format) }
}
