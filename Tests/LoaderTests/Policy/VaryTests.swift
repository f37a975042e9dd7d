import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct VaryTests {
    /// True when the response to `first` with this Vary also matches `second`; nil for `Vary: *`.
    private func matches(_ vary: HeaderFields, _ first: HeaderFields, _ second: HeaderFields) -> Bool? {
        Vary.values(of: vary, request: first).map { Vary.matches($0, second) }
    }

    @Test func varyFieldNamesAreUniqueSortedAndLowercase() {
        let vary = HeaderFields("Vary", lines: ["B, a,, A", "", " ,c ,"])

        #expect(Vary.values(of: vary, request: [:])?.map(\.name) == ["a", "b", "c"])
    }

    @Test(arguments: [["*"], ["a, *"], [", *,"], ["a", "*"], ["*", "a"], ["*, *"]])
    func varyWithAnAsteriskMatchesNoRequest(_ lines: [String]) {
        let fields = HeaderFields("Vary", lines: lines)

        #expect(Vary.values(of: fields, request: ["*": "1"]) == nil)
        #expect(!Vary.matches(PolicyFixture.response(fields), [:]))
    }

    @Test(
        arguments: [
            (["Foo": "1"], ["Foo": "1"], true), (["Foo": "1"], ["foo": "1"], true), (["Foo": "1"], ["Foo": "2"], false),
            (["Foo": "1"], [:], false), ([:], [:], true), ([:], ["Foo": ""], false), (["Foo": ""], ["Foo": ""], true),
            (["Foo": "1,2"], ["Foo": " 1, 2 "], true), (["Foo": "1", "foo": "2"], ["Foo": "1, 2"], true),
            (["Foo": "1", "foo": "2"], ["Foo": "2", "Foo": "1"], false), (["Foo": "a  b"], ["Foo": "a\tb"], true),
            (["Foo": "a b"], ["Foo": "ab"], false), (["Foo": "A"], ["Foo": "a"], false),
            (["Foo": "\"a,  b\""], ["Foo": "\"a, b\""], false), (["Foo": "\"a\\\"  \""], ["Foo": "\"a\\\" \""], false),
            (["Foo": "1", "Other": "2"], ["Foo": "1", "Other": "3"], true), (["Foo": "12"], ["Foo": "1 2"], false),
        ] as [(HeaderFields, HeaderFields, Bool)])
    func requestFieldValuesAreComparedAfterNormalizingUnquotedWhitespace(_ row: (HeaderFields, HeaderFields, Bool)) {
        #expect(matches(["Vary": "Foo"], row.0, row.1) == row.2)
        #expect(matches(["Vary": "Foo"], row.1, row.0) == row.2)
    }

    @Test(.requirement("O8")) func everyFieldListedInVaryMustMatch() {
        let first: HeaderFields = ["Foo": "1", "Bar": "abc", "Baz": "789"]

        #expect(matches(["Vary": "Foo, Bar, Baz"], first, first) == true)
        #expect(matches(["Vary": "Foo, Bar, Baz"], first, ["Baz": "789", "Bar": "abc", "Foo": "1"]) == true)
        #expect(matches(["Vary": "Foo, Bar, Baz"], first, ["Foo": "1", "Bar": "abc"]) == false)
        #expect(matches(["Vary": "Foo, Bar, Baz"], first, ["Foo": "1", "Bar": "x", "Baz": "789"]) == false)
        #expect(matches([:], first, [:]) == true)
    }

    @Test func acceptLanguageAndAcceptEncodingValuesAreComparedIgnoringCase() {
        #expect(
            matches(["Vary": "Accept-Language"], ["Accept-Language": "en-GB, DE"], ["Accept-Language": "EN-gb,de"])
                == true)
        #expect(
            matches(["Vary": "Accept-Language"], ["Accept-Language": "en, de"], ["Accept-Language": "de, en"]) == false)
        #expect(matches(["Vary": "Accept-Encoding"], ["Accept-Encoding": "GZIP"], ["Accept-Encoding": "gzip"]) == true)
        #expect(matches(["Vary": "User-Agent"], ["User-Agent": "A"], ["User-Agent": "a"]) == false)
    }

    @Test func requestFieldValuesThatAreNotUTF8AreComparedByteForByte() {
        let vary: HeaderFields = ["Vary": "X"]
        let first = HeaderFields([HeaderField("X", bytes: [0xE9])])

        #expect(matches(vary, first, first) == true)
        #expect(matches(vary, first, HeaderFields([HeaderField("X", bytes: [0xE8])])) == false)
    }

    @Test func entryWithoutTheStoredValueOfAVaryFieldMatchesNoRequest() {
        var response = PolicyFixture.response(["Vary": "Foo, Bar"], request: ["Foo": "1"])
        #expect(Vary.matches(response, ["Foo": "1"]))

        response.vary.removeAll { $0.name == "bar" }

        #expect(!Vary.matches(response, ["Foo": "1"]))
    }

    @Test func varyValuesOfANameListAndOfAVaryFieldWithTheSameNamesAreEqual() {
        let request: HeaderFields = ["B": " 1 , 2", "Other": "x"]

        #expect(Vary.values(of: ["b", "a"], request: request) == Vary.values(of: ["Vary": "A, b"], request: request))
    }
}
