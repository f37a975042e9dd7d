import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct CacheControlTests {
    private func control(_ lines: String...) -> CacheControl {
        CacheControl(HeaderFields("Cache-Control", lines: lines))
    }

    /// Docs/http-cache.md 3.2. Expected seconds of `max-age`: nil without `max-age`; an invalid value gives 0.
    @Test(
        arguments: [
            ("max-age=3600", 3600), ("MaX-aGe=3600", 3600), ("max-age=0", 0), ("max-age=0003600", 3600),
            ("max-age=\"3600\"", 3600), ("max-age=\"36\\00\"", 3600), ("max-age=2147483648", 2_147_483_648),
            ("max-age=2147483649", 2_147_483_648), ("max-age=99999999999", 2_147_483_648),
            ("max-age=99999999999999999999999999999999", 2_147_483_648),
            ("max-age=-100", 0), ("max-age=1.5", 0), ("max-age=10.0", 0), ("max-age='3600'", 0), ("max-age=a100", 0),
            ("max-age=100a", 0), ("max-age =100", 0), ("max-age= 100", 0), ("max-age=", 0), ("max-age", 0),
            ("max-age=+1", 0), ("max-age=1 2", 0), ("max-age=\"1\"2", 0), ("max-age=\"100", 0), ("max-age=0x10", 0),
            ("max-age=\" 100\"", 0), ("max-age=10;x=1", 0),
            ("max-age=1, max-age=100", 1), ("max-age=100, max-age=1", 100), ("max-age=x, max-age=100", 0),
            ("extension=\"max-age=100\", max-age=1", 1), ("max-age=1, extension=\"max-age=100\"", 1),
            ("extension=\"a,max-age=100\"", nil), ("extension=\"a\\\", max-age=100\", max-age=5", 5),
            ("extension=\"max-age=100, b\", max-age=\"1\"", 1), ("foobar, max-age=3600", 3600),
            ("foo=bar;baz, max-age=9", 9), (",,, ,max-age=7,,", 7), ("\tmax-age=7 ,\t", 7), ("=, =x, max-age=7", 7),
            ("xmax-age=7", nil), ("max-agex=7", nil), ("s-maxage=7", nil), ("\"max-age=7\"", nil), ("", nil),
            (",", nil),
            ("foo = \"a, max-age=9\"", nil), ("foo=\"bar, max-age=100", 0),
        ] as [(String, Int64?)])
    func maxAgeDirectiveIsParsedAndAnInvalidValueIsReadAsZero(_ row: (String, Int64?)) {
        #expect(control(row.0).maxAge == row.1)
    }

    @Test(.requirement("O27")) func severalCacheControlLinesAreParsedAsOneList() {
        #expect(control("max-age=1", "max-age=100").maxAge == 1)
        #expect(control("no-store", "max-age=100").noStore)
        #expect(control("s-maxage=3600", "max-age=1").maxAge == 1)
    }

    @Test func unterminatedQuotedStringDoesNotHideTheNextLine() {
        let control = control("foo=\"bar", "no-store, max-age=100")

        #expect(control.noStore)
        #expect(control.maxAge == 0)
    }

    @Test(.requirement("O27")) func unterminatedQuotedStringDoesNotHideALaterNoStore() {
        let control = control("foo=\"bar, no-store, stale-while-revalidate=9, stale-if-error=9")

        #expect(control.noStore)
        #expect(control.staleWhileRevalidate == nil)
        #expect(control.staleIfError == nil)
    }

    @Test(arguments: [
        ("no-cache", true), ("No-Cache", true), ("no-cache=\"\"", true), ("no-cache=", true), ("no-cache x", true),
        ("no-cache=\"Set-Cookie\"", false), ("no-cache=Set-Cookie", false), ("no-cache=\"a, b\"", false),
        ("no-cache=\"a\", no-cache", true), ("x=\"no-cache\"", false), ("nono-cache", false), ("private", false),
    ])
    func noCacheWithoutFieldNamesForbidsReuseAndWithFieldNamesDoesNot(_ row: (String, Bool)) {
        #expect(control(row.0).noCache == row.1)
        #expect(control(row.0).forbidsStale == row.1)
    }

    @Test(arguments: [
        ("no-store", true), ("NO-STORE", true), ("no-store=x", true), ("no-store, max-age=100", true),
        ("max-age=100,no-store", true), ("x=\"no-store\"", false), ("no-store-x", false), ("no-store x", true),
    ])
    func noStoreIsRecognizedWithAnyCaseOrArgument(_ row: (String, Bool)) {
        #expect(control(row.0).noStore == row.1)
    }

    @Test func unknownCacheControlDirectivesAreParsed() {
        let control = control("community=\"UCI \\\"x\\\"\", Flag, number=5")

        #expect(control["community"]?.value == Array("UCI \"x\"".utf8))
        #expect(control["flag"] == CacheControl.Directive(name: "flag", value: nil))
        #expect(control["number"]?.seconds == 5)
        #expect(control.directives.count == 3)
        #expect(control["missing"] == nil)
    }

    @Test(
        arguments: [
            ("max-stale", DeltaSeconds.max, nil), ("max-stale=5", 5, nil), ("max-stale=x", nil, nil),
            ("max-stale=\"5\"", 5, nil), ("min-fresh=5", nil, 5), ("min-fresh", nil, DeltaSeconds.max),
            ("min-fresh=x", nil, DeltaSeconds.max), ("max-stale =5", nil, nil), ("", nil, nil),
        ] as [(String, Int64?, Int64?)])
    func invalidMaxStaleAndMinFreshHaveTheStrictestValue(_ row: (String, Int64?, Int64?)) {
        #expect(control(row.0).maxStale == row.1)
        #expect(control(row.0).minFresh == row.2)
    }

    @Test func cacheControlIsPresentOnlyIfTheFieldHasALine() {
        #expect(!CacheControl([:]).isPresent)
        #expect(control("").isPresent)
        #expect(control("unknown").isPresent)
    }

    @Test(
        arguments: [
            ("0", 0), ("100", 100), ("007", 7), ("100, 5", 100), ("5, 100", 5), (" 5 ,x", 5),
            ("2147483648", 2_147_483_648),
            ("2147483649", 2_147_483_648), ("99999999999999999999", 2_147_483_648), ("100; x=1", nil), ("-5", nil),
            ("1.5", nil), ("abc", nil), ("", nil), (",5", nil), ("\"5\"", nil), ("5x", nil), ("0x5", nil),
        ] as [(String, Int64?)])
    func ageIsTheFirstMemberOfTheAgeFieldIfThatMemberIsANumber(_ row: (String, Int64?)) {
        #expect((["Age": row.0] as HeaderFields).age == row.1)
    }

    @Test func firstOfSeveralAgeLinesIsUsed() {
        #expect(HeaderFields("Age", lines: ["7", "100"]).age == 7)
        #expect(HeaderFields().age == nil)
    }
}
