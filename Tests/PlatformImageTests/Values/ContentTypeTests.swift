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
}
