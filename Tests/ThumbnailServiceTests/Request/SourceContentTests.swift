import Testing

@testable import PlatformImage
@testable import PlatformImageLoader
@testable import PlatformImageService

/// Codes and details of errors: the cause of a failure without the source's address and bytes.
@Suite struct SourceContentTests {
    @Test func contentOfASourceThatIsNoImageIsNamedWithoutItsBytes() {
        let table: [(bytes: [UInt8], type: String?, found: String)] = [
            (Array("<!DOCTYPE html><title>geheim".utf8), "text/html; charset=utf-8", "text/html"),
            (Array("\u{FEFF} \n<html geheim".utf8), nil, "text/html"),
            (
                Array("<?xml version=\"1.0\"?><svg geheim".utf8), "image/svg+xml",
                "an SVG file, declared as image/svg+xml"
            ),
            (Array("<!-- geheim --><HTML>".utf8), "image/png", "text/html, declared as image/png"),
            (
                Array("{\"error\": \"geheim\"}".utf8), "application/json",
                "a JSON document, declared as application/json"
            ),
            (Array("%PDF-1.7 geheim".utf8), nil, "a PDF file"),
            (
                [0, 0, 0, 24] + Array("ftypisomgeheim".utf8), "video/mp4",
                "an MP4 or QuickTime file, declared as video/mp4"
            ),
            (Array("geheim".utf8), "geheim\n/x", "a text"), ([], "image/png", "an empty source, declared as image/png"),
            ([1, 2, 3, 0xFF, 0], nil, "data of an unknown format"),
            ([1, 2, 3, 0xFF, 0], "geheim/" + String(repeating: "x", count: 80), "data of an unknown format"),
        ]
        for row in table {
            #expect(SourceContent.description(of: row.bytes, declaredType: row.type) == "found: " + row.found)
        }
    }

    @Test(arguments: [
        ("avif", "an AVIF file"), ("heic", "a HEIC file"), ("jpegxl", "a JPEG XL file"), ("svg", "an SVG file"),
    ])
    func unsupportedFormatIsNamed(_ name: String, _ text: String) {
        let error = ServiceError(DecodeError(.unsupported, detail: name, ""))
        #expect(error.reason == .notAnImage)
        #expect(error.code == "unsupported")
        #expect(error.detail == "found: \(text), which is not supported")
    }

    @Test func reasonOfATransportErrorIsTheCodeOfTheResponse() {
        let table: [(error: LoadError, status: Int, code: String)] = [
            (.transport("").because(.connectionRefused), 502, "connectionRefused"),
            (.transport("").because(.unknownHost), 502, "unknownHost"),
            (.transport("", cause: ServiceError(.originFailed, code: "unknownHost", "")), 502, "unknownHost"),
            (.transport("", isTimeout: true).because(.connectTimeout), 504, "connectTimeout"),
            (.transport("", isTimeout: true).because(.idleTimeout), 504, "idleTimeout"),
            (.transport("", isTimeout: true).because(.totalTimeout), 504, "totalTimeout"),
            (.tls("").because(.certificateExpired), 502, "certificateExpired"),
            (.tls("").because(.certificateNameMismatch), 502, "certificateNameMismatch"),
            (.tls("TLS handshake failed: wrong version number").because(.handshakeFailed), 502, "handshakeFailed"),
            (.transport(""), 502, "transport"), (.cancelled(), 504, "deadline"),
        ]
        for row in table {
            let error = ServiceError(row.error)
            #expect((error.status, error.code) == (row.status, row.code))
            #expect(error.withRetryAfter(milliseconds: 1).code == row.code)
        }
    }
}
