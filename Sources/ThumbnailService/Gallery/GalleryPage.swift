#if Service
/// The files that the gallery serves: those of `Resources`, embedded in the program. Style and script are files of their
/// own, so that the policy allows no others.
enum GalleryPage {
    /// Nothing from anywhere else; pictures come as blobs out of answers that the script has read. No text can become
    /// markup: the script assigns none, and browsers that know trusted types would refuse it.
    static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
        """

    static let script = PackageResources.gallery_js
    static let style = PackageResources.gallery_css
    static let icon = PackageResources.icon_svg

    /// - Parameters:
    ///   - token: Letters and digits.
    ///   - sides: What thumbnails are there, in pixels, rising.
    ///   - count: Pictures.
    static func html(token: String, sides: [Int], count: Int) -> String {
        String(decoding: PackageResources.gallery_html, as: UTF8.self)
            .replacing("{{token}}", with: token)
            .replacing("{{sides}}", with: sides.map(String.init).joined(separator: " "))
            .replacing("{{count}}", with: "\(count)")
    }
}
#endif
