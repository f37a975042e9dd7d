import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct StoredFieldsTests {
    @Test func connectionSpecificFieldsAreRemovedBeforeStoring() {
        let fields: HeaderFields = [
            "Connection": "close, X-One", "A": "1", "connection": "x-two,,", "Keep-Alive": "5",
            "Proxy-Authenticate": "x",
            "Proxy-Authentication-Info": "x", "Proxy-Authorization": "x", "Proxy-Connection": "x", "TE": "x",
            "Trailer": "x", "TRANSFER-ENCODING": "chunked", "Upgrade": "x", "x-one": "1", "X-TWO": "2", "Close": "1",
            "B": "2", "a": "3", "Set-Cookie": "c", "Warning": "199 - \"x\"", "Public-Key-Pins": "x",
        ]

        let kept: HeaderFields = [
            "A": "1", "B": "2", "a": "3", "Set-Cookie": "c", "Warning": "199 - \"x\"", "Public-Key-Pins": "x",
        ]
        #expect(fields.removingConnectionFields() == kept)
    }

    @Test func connectionFieldThatNamesCachingFieldsDoesNotRemoveThem() {
        let fields: HeaderFields = [
            "Connection": "age, cache-control, vary, date, expires, content-encoding", "Age": "1",
            "Cache-Control": "no-store", "Vary": "*", "Date": "x", "Expires": "0", "Content-Encoding": "gzip",
        ]

        #expect(fields.removingConnectionFields().lines == Array(fields.lines.dropFirst()))
    }

    @Test(.requirement("O23")) func response304ReplacesStoredFieldsExceptContentLengthContentEncodingAndContentRange() {
        let stored = PolicyFixture.response(
            [
                "Date": "old", "A": "1", "a": "2", "B": "3", "ETag": "\"x\"", "Content-Length": "5",
                "Content-Encoding": "gzip", "Content-Type": "image/png", "Age": "9", "Content-Range": "r",
            ], age: 100)
        let time = PolicyFixture.now

        let merged = stored.merged(
            with: [
                "Date": "new", "A": "4", "C": "5", "c": "6", "Content-Length": "0", "Content-Encoding": "br",
                "Content-Range": "s", "Connection": "D", "D": "1", "Transfer-Encoding": "chunked",
            ], requestTime: time.adding(milliseconds: -3), responseTime: time)

        let fields: HeaderFields = [
            "B": "3", "ETag": "\"x\"", "Content-Length": "5", "Content-Encoding": "gzip", "Content-Type": "image/png",
            "Content-Range": "r", "Date": "new", "A": "4", "C": "5", "c": "6",
        ]
        #expect(merged.fields == fields)
        #expect(merged.requestTime == time.adding(milliseconds: -3))
        #expect(merged.responseTime == time)
        #expect(merged.createdAt == stored.createdAt)
        #expect(merged.status == 200)
    }

    @Test func ageOfA304ReplacesTheStoredAge() {
        let stored = PolicyFixture.response(["Age": "9"])

        let merged = stored.merged(
            with: ["Age": "2"], requestTime: stored.requestTime, responseTime: stored.responseTime)

        #expect(merged.fields[lines: "Age"] == [[0x32]])
    }

    @Test func response304WithoutDateSetsTheStoredDateToItsResponseTime() {
        let stored = PolicyFixture.response(["Date": "Sun, 06 Nov 1994 08:49:37 GMT"])

        let merged = stored.merged(with: [:], requestTime: PolicyFixture.now, responseTime: PolicyFixture.now)

        #expect(merged.fields.text("Date") == "Tue, 14 Nov 2023 22:13:20 GMT")
    }

    @Test(.requirement("O22")) func validatorsAreCopiedByteForByteToConditionalFields() {
        let tag: [UInt8] = [0x57, 0x2F, 0x22, 0xE9, 0x22]
        let fields = HeaderFields([HeaderField("etag", bytes: tag), HeaderField("last-modified", "whenever")])

        #expect(fields.conditions[lines: "If-None-Match"] == [tag])
        #expect(fields.conditions.text("If-Modified-Since") == "whenever")
        #expect((["ETag": "unquoted"] as HeaderFields).conditions == ["If-None-Match": "unquoted"])
        #expect((["Date": "x"] as HeaderFields).conditions == [:])
        #expect(HeaderFields("ETag", lines: ["\"a\"", "\"b\""]).conditions == [:])
        #expect((["ETag": ""] as HeaderFields).conditions == [:])
    }

    @Test(
        arguments: [
            ("\"a\"", "\"a\"", false), ("\"b\"", "\"a\"", true), ("W/\"b\"", "\"a\"", false),
            ("\"a\"", "W/\"a\"", false),
            ("\"b\"", "W/\"a\"", true), ("b", "a", true), ("\"A\"", "\"a\"", true), (nil, "\"a\"", false),
            ("\"a\"", nil, false), (nil, nil, false),
        ] as [(String?, String?, Bool)])
    func responseWithADifferentStrongETagIdentifiesAnotherBody(_ row: (String?, String?, Bool)) {
        func fields(_ tag: String?) -> HeaderFields { tag.map { ["ETag": $0] } ?? [:] }

        #expect(fields(row.0).identifiesOtherBody(than: fields(row.1)) == row.2)
    }

    @Test func ageOfADeliveredResponseReplacesTheStoredAgeField() {
        let response = PolicyFixture.response(["Age": "5", "A": "1", "age": "7"])

        #expect(response.fields(age: 12_999) == ["A": "1", "Age": "12"])
    }
}
