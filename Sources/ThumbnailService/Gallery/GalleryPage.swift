/// The gallery's files from `Resources`, embedded in the program. Style and script are separate files, so that the
/// Content Security Policy needs no inline code.
enum GalleryPage {
    /// Content Security Policy: no external resources; images are blobs that the script creates from fetched responses.
    /// The script never assigns markup, and browsers with Trusted Types enforce that.
    static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
        """

    static let script = PackageResources.gallery_js
    static let style = PackageResources.gallery_css
    static let icon = PackageResources.icon_svg

    /// Returns the page.
    ///
    /// - Parameters:
    ///   - token: Secret of ``GalleryHandler``, letters and digits.
    ///   - sides: Available thumbnail sides in pixels, ascending.
    ///   - count: Number of images.
    static func html(token: String, sides: [Int], count: Int) -> String {
        String(decoding: PackageResources.gallery_html, as: UTF8.self)
            .replacing("{{token}}", with: token)
            .replacing("{{sides}}", with: sides.map(String.init).joined(separator: " "))
            .replacing("{{count}}", with: "\(count)")
    }
}
