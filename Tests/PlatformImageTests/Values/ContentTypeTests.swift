import PlatformImage
import Testing

@Suite struct ContentTypeTests {
    @Test(arguments: [
        ("image/png", "image/png"), ("Image/PNG; q=1", "image/png"), ("  image/jpeg\t", "image/jpeg"),
        ("image/jpeg;charset=\"x;y\"", "image/jpeg"), ("image/*", "image/*"), ("image/svg+xml", "image/svg+xml"),
    ])
    func contentTypeIsLowercasedWithoutParametersAndSurroundingBlanks(value: String, expected: String) {
        #expect(ContentType(value)?.description == expected)
    }

    @Test(arguments: ["", "image", "/", "image/", "/png", "image/png/x", "image png", "ima ge/png", "bild/ö", ";"])
    func contentTypeOfTextWithoutAValidTypeAndSubtypeIsNil(value: String) {
        #expect(ContentType(value) == nil)
    }

    @Test(arguments: ImageFormat.allCases)
    func registeredContentTypeGivesItsFormat(format: ImageFormat) {
        #expect(ImageFormat(format.contentType) == format)
    }

    @Test func aliasContentTypesGiveTheirFormatAndOtherContentTypesGiveNil() {
        #expect(ImageFormat(.jpg) == .jpeg)
        #expect(ContentType("image/x-ms-bmp").flatMap(ImageFormat.init) == .bmp)
        #expect(ImageFormat(.octetStream) == nil)
        #expect(ContentType("text/html").flatMap(ImageFormat.init) == nil)
    }

    @Test(arguments: [
        "application/octet-stream", "binary/octet-stream", "application/x-octet-stream", "application/x-download",
        "application/force-download", "application/x-force-download", "application/x-forcedownload",
        "application/download", "application/unknown", "application/x-unknown", "application/x-binary",
        "application/binary", "unknown/unknown", "content/unknown", "image/*", "image/unknown", "*/*", "file/file",
    ])
    func typeOfADownloadOrOfUnknownContentDeclaresNoFormat(_ text: String) throws {
        let type = try #require(ContentType(text))

        #expect(type.format == nil)
    }

    @Test(arguments: [
        "text/html", "text/plain", "application/json", "application/pdf", "image/png", "image/x-png", "image/svg+xml",
        "image/avif", "video/mp4", "application/zip", "application/xhtml+xml", "multipart/form-data",
    ])
    func typeOfContentDeclaresAFormat(_ text: String) throws {
        let type = try #require(ContentType(text))

        #expect(type.format == type)
    }
}
