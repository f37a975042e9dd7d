import PlatformImage
import PlatformImageService

/// One request of the demonstration and its expected result.
struct DemoServiceRequest: Sendable {
    /// Title in the table.
    let title: String
    let target: String
    /// The target for display, without the signature and the origin's URL.
    let displayText: String
    let status: Int
    /// Expected size of the image; `nil` when the response is not an image.
    var size: (width: Int, height: Int)?
    /// True for an image from an undamaged file: a second, equal request must be a hit in the result cache.
    var isCached: Bool { size != nil && status == 200 && !isDamaged }
    /// True for an image from a damaged file, which is cached only for a short time.
    var isDamaged = false
    /// Value of the field `Accept`; `nil` for a request without the field.
    var accept: String?
    /// Expected media type; `nil` for any type.
    var type: String?

    /// Requests that cover thumbor and IIIF targets, rejected targets, and broken or missing files.
    static func all(_ origin: DemoServiceOrigin, _ keys: SigningKeys) -> [DemoServiceRequest] {
        let path = "landscape/17.jpg"
        func thumbor(
            _ title: String, _ options: String, _ source: String? = nil, status: Int = 200,
            size: (width: Int, height: Int)? = nil, isDamaged: Bool = false
        ) -> DemoServiceRequest {
            let source = source ?? path
            let isAbsolute = source.contains("://")
            return DemoServiceRequest(
                title: title, target: keys.signed("\(options)/\(isAbsolute ? source : origin.url(source))"),
                displayText: "/…/\(options)/\(isAbsolute ? "" : "…/")\(source)", status: status, size: size,
                isDamaged: isDamaged)
        }
        func iiif(_ title: String, _ rest: String, size: (width: Int, height: Int)? = nil) -> DemoServiceRequest {
            let target = "/iiif/3/17.jpg/\(rest)"
            return DemoServiceRequest(title: title, target: target, displayText: target, status: 200, size: size)
        }
        func accepting(_ type: String, _ title: String, _ options: String) -> DemoServiceRequest {
            var request = thumbor(title, options, size: (300, 200))
            (request.accept, request.type) = (type, type)
            return request
        }
        let webP = accepting("image/webp", "Accept: image/webp", "300x200/filters:saturation(1.2)")
        let unsigned = "/AAAAAAAAAAAAAAAAAAAAAAAAAAA=/300x200/\(origin.url(path))"
        let negotiated = EncodedFormat.webp.isAvailable ? [webP] : []
        return negotiated + [
            thumbor("cover and crop", "300x200", size: (300, 200)),
            thumbor("fit inside", "fit-in/300x300", size: (300, 225)),
            thumbor("crop, then scale", "200x200:1000x700/320x0", size: (320, 200)),
            thumbor("mirrored, smart crop", "-240x240/smart", size: (240, 240)),
            thumbor("padded with a colour", "fit-in/300x300/filters:fill(f4b860)", size: (300, 300)),
            thumbor("rotated, as a gray PNG", "300x200/filters:rotate(90):grayscale():format(png)", size: (200, 300)),
            thumbor("blurred, at most 4 kB", "240x180/filters:blur(6):max_bytes(4000)", size: (240, 180)),
            accepting("image/png", "Accept: image/png", "300x200/filters:quality(70)"),
            thumbor("metadata only", "meta/300x200"),
            iiif("IIIF: square", "square/200,200/0/default.jpg", size: (200, 200)),
            iiif("IIIF: region, rotated, gray", "pct:25,25,50,50/!400,400/90/gray.png", size: (300, 400)),
            iiif("IIIF: mirrored, two colours", "full/320,/!180/bitonal.png", size: (320, 240)),
            iiif("IIIF: description", "info.json"),
            thumbor("a private IP address", "300x200", "http://169.254.169.254/latest/meta-data", status: 403),
            DemoServiceRequest(
                title: "a wrong signature", target: unsigned, displayText: "/…/300x200/…/\(path)", status: 400),
            thumbor("a truncated file", "300x200", "half.jpg", size: (300, 200), isDamaged: true),
            thumbor("HTML named .jpg", "300x200", "text.jpg", status: 415),
            thumbor("a missing source", "300x200", "landscape/none.jpg", status: 404),
        ]
    }
}
