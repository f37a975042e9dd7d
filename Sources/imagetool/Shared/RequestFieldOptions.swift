import PlatformImage
import PlatformImageLoader
import PlatformImageToolSupport

/// The options of commands that send HTTP requests.
struct RequestFieldOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Value of the User-Agent field; empty sends none. (default: PlatformImage/VERSION)", valueName: "text"))
    var userAgent: String?
    @Option(
        help: ArgumentHelp(
            "Header field to send as NAME:VALUE; may be repeated. Redirects to another host receive it too, except "
                + "Authorization and Cookie.", valueName: "name:value"))
    var header: [String] = []

    func validate() throws {
        _ = try fields()
        if let userAgent, HeaderField("User-Agent", userAgent).hasControlCharacter {
            throw ValidationError("--user-agent must not contain control characters.")
        }
    }

    /// The fields of `--header`, in their order.
    ///
    /// - Throws: `ValidationError` for a text without a colon, a name that is not a token (RFC 9110 §5.6.2), and a
    ///   value with control characters.
    func fields() throws -> HeaderFields {
        var fields = HeaderFields()
        for text in header {
            guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                throw ValidationError("--header must be NAME:VALUE.")
            }
            let name = String(text[..<colon])
            guard !name.isEmpty, name.utf8.allSatisfy(Self.nameBytes.contains) else {
                throw ValidationError("the name in --header is not a valid field name.")
            }
            let value = text.utf8[text.utf8.index(after: colon)...].trimmingASCIIBlanks()
            let field = HeaderField(name, bytes: Array(value))
            if field.hasControlCharacter {
                throw ValidationError("the value in --header contains a control character.")
            }
            fields.lines.append(field)
        }
        return fields
    }

    /// Sets the User-Agent of a loader.
    func apply(to configuration: inout ImageLoader.Configuration) {
        if let userAgent { configuration.userAgent = userAgent.isEmpty ? nil : userAgent }
    }

    /// `tchar` of RFC 9110 §5.6.2.
    private static let nameBytes = ASCIISet.alphanumerics.union("!#$%&'*+-.^_`|~")
}
