import Testing

@testable import PlatformImageLoader
@testable import PlatformImageService

/// Disk names and entity tags of results, as in commit c3c2078, so that stored results and clients' tags stay valid.
///
/// `imagetool serve` of that commit sent and stored these values for a PNG without an entity tag, with renderer
/// version 3.
@Suite struct StoredResultNameTests {
    private static let version = 3
    private static let source = "127.0.0.1:47382/a.png"
    /// SHA-256 of the source.
    private static let digest = "f2b311025057ed34f00f6043d974258cdf57a7f364830d0fb26865a330cc8829"

    struct Row: Sendable, CustomTestStringConvertible {
        let parts: String
        let format: String
        let tag: String
        /// Path below the folder of results; nil for a result that is not stored on disk.
        let file: String?

        var testDescription: String { parts }
    }

    @Test(arguments: rows) func entityTagsAndDiskFileNamesEqualThoseOfCommitC3c2078(_ row: Row) throws {
        let request = try ThumborParserTests.dialect.parse("/unsafe/\(row.parts)\(Self.source)".utf8)

        let tag = ETag(
            source: Self.digest.utf8, operations: request.canonicalOperations, format: row.format, version: Self.version
        )
        let key = try #require(ResultKey(canonical: request.canonicalBytes, version: Self.version).cacheKey)

        #expect(tag.fieldValue == "\"\(row.tag)\"")
        if let file = row.file { #expect(DiskName(key.bytes).path == "v1/\(file)") }
    }

    static let rows: [Row] = [
        Row(
            parts: "", format: "image/png", tag: "4ucxCW6wWxozk7AP03KsUg",
            file: "19/4a218b160941c05198886e7b71ef4a9b50d9e8b5bc2551f0411f636d08d217"),
        Row(
            parts: "300x200/", format: "image/png", tag: "7EUO789eL1P73bVIZrYgcw",
            file: "86/c2ff6b837762458163d0cfa808816a228f1d829b497d801060bb37444c29a5"),
        Row(
            parts: "fit-in/300x200/", format: "image/png", tag: "lMijrCP2AxvEUVZseUNORQ",
            file: "8d/ceca2f954786814068a673d0e10992ab1716e8e99e83ba7b1d4db82f04e568"),
        Row(
            parts: "adaptive-full-fit-in/300x200/", format: "image/png", tag: "osigdWtbgBVHJID_MDWAUg",
            file: "c5/62c32fa6398016b747d5755f95e4f26cc64b7c4f5b7f7bf5a481b71563cb30"),
        Row(
            parts: "-300x/", format: "image/png", tag: "sdfDr8y0gBYtVhF3oWpx2Q",
            file: "86/fc6ad8e236e09e545bc22505add82aa39292dd8520244a0b958163c6d1bce0"),
        Row(
            parts: "300x-0/", format: "image/png", tag: "g3TqaofN2IVJH56CMeIPxA",
            file: "71/ff6a969eb42701c6d1854d529fcf24e63d3299ae28890022bea5498bcf6427"),
        Row(
            parts: "origx/", format: "image/png", tag: "s-mtoF6aZ6IbvPB7JAxs-A",
            file: "fd/f5a408e1fe2d0dc388a2039f0c30e6617158adbe9333e9f4735238eec3c177"),
        Row(
            parts: "30x9/left/top/", format: "image/png", tag: "lMqIRYrN00T3eA_iWuxi-w",
            file: "dd/46a0747f42d9652daeeaf6ed20ff001a580496582c468910acf0cc0274ad94"),
        Row(
            parts: "30x9/right/bottom/", format: "image/png", tag: "-bnAmARIaZO2m8_fGQoyfg",
            file: "4c/eb5c59d7e8f13cbaf037fe640d7b15904cbb7d3e2ffd40c5cb08ba669138bc"),
        Row(
            parts: "30x9/smart/", format: "image/png", tag: "OGNH3tcn0sTDog8crzZxYg",
            file: "d3/981b1f813701a6b040a3231820c5d6c0d644246a054124949066184b6c6f21"),
        Row(
            parts: "1x2:3x4/", format: "image/png", tag: "mT4OZvBcD7fo8EKK7FzMZw",
            file: "b8/bad3b8d0c705d7f2f339f9e3da738736ee5352758e80974afe8155b65775a7"),
        Row(
            parts: "trim/", format: "image/png", tag: "6HPbH1n7d-pPT-ECVVyEqA",
            file: "44/e1835d6a12e5c4dc97647adcaa8c8bcb9c69fe51832d5b20243ac159972ad9"),
        Row(
            parts: "trim:bottom-right:7/", format: "image/png", tag: "er6OK1g7YWVkUho8gaRW2g",
            file: "48/ee7984a4023f3a5cda898c4020dbf64e5d774f7ed35c7ccc825909693d3b75"),
        Row(
            parts: "meta/", format: "application/json", tag: "Xvf_wQA2HozzRX75Ur5J8g",
            file: nil),
        Row(
            parts: "meta/filters:blurhash()/", format: "application/json", tag: "zCECtE1kBxbqwOQvvaeYXw",
            file: nil),
        Row(
            parts: "30x20/filters:stretch():no_upscale()/", format: "image/png", tag: "7NTmli07PHIu0vQuTDaiLw",
            file: "a3/21677592a717ec0627f6c8516cc4e656bd1fcf309a9336965d9ee83394a73c"),
        Row(
            parts: "filters:format(jpeg)/", format: "image/jpeg", tag: "GtNFCgHFyqoaYKz0oGkHnA",
            file: "1e/4fb6aa47aaf7a5730a39ab50cab88aceb279678d7b6734a1068da33970cfd7"),
        Row(
            parts: "filters:format(png)/", format: "image/png", tag: "brxE7OicdntqOdsApiCHyA",
            file: "3e/f3192d0ad2dbcaf0b818982a112b71c06c85254d6a5d9fadac1cc4ebf25fba"),
        Row(
            parts: "filters:format(webp):quality(71)/", format: "image/png", tag: "h0zm74JGZZwsh4vIQCxeBA",
            file: "0b/93c49b205898243e1544ea017b6f63c71a6ace408481a02855df60c11605b0"),
        Row(
            parts: "filters:format(gif)/", format: "image/png", tag: "A_2gsVuB--egMecy-4pdeg",
            file: "59/cbe7bdb6082aef0c33e3e56b6257892f16c53f47344243307bd55fcd1b1955"),
        Row(
            parts: "filters:max_bytes(5000):autojpg()/", format: "image/jpeg", tag: "SVlPH3Z71eCkfMqYGo9lTw",
            file: "76/07cc316c35d872999d89789f18dda4f878aa2c2cb05458a839a72b2a4a5945"),
        Row(
            parts: "30x20/filters:focal(1x2:3x4)/", format: "image/png", tag: "7AtX7aJEHG-iSf6wYWOhIw",
            file: "18/5fa55afc524a4bd66fe4be7e19be9400fbef9ef78aa76ddcace4e93c488f85"),
        Row(
            parts: "filters:rotate(90):proportion(0.5):upscale()/", format: "image/png", tag: "lnIjbqLUbbH_Pr6TiBw7Eg",
            file: "6a/d2441b21f01788c9821053525f23c30232c3b605b30f95d42eaf88428b48ae"),
        Row(
            parts: "30x20/filters:fill(red,1)/", format: "image/png", tag: "IVtjOCduRjXMPlNeN_XpOQ",
            file: "31/fface268e2d0329c33fd877dbe2035911a76e64847b8953d7811f44c05a99a"),
        Row(
            parts: "fit-in/30x20/filters:fill(auto)/", format: "image/png", tag: "Bue6oIo05t4iGAYKUV7JSA",
            file: "d6/bc5010a99343c3a8820a0013544d731cb605eba41bd7eb592cac5956bb233f"),
        Row(
            parts: "fit-in/30x20/filters:fill(blur)/", format: "image/png", tag: "m_Y3-IM7PN6U6RKD-AUNtA",
            file: "3f/a13bdcc6a061addca7dfa668784c43fdda3912559eae74d549ea60a17ba0af"),
        Row(
            parts: "filters:grayscale():equalize():background_color(red)/", format: "image/png",
            tag: "-OWnEgVnh0uffVKVR_vvrw",
            file: "fa/628e7a767285d9c43f8173392ae599def1fcdf393ba4669378298845a87f7c"),
        Row(
            parts: "filters:blur(1,2):sharpen(1,2,true)/", format: "image/png", tag: "9gM0sU0Mez3kt_ajerm9lQ",
            file: "69/3a60c0b5272234b7a3c619aaa81ab74d39dc573d4b60961f7595b212712d79"),
        Row(
            parts: "filters:brightness(1):contrast(2):saturation(1.5):rgb(1,2,3)/", format: "image/png",
            tag: "ZDvNJmgTqH8pPa4ZDmCskQ",
            file: "3c/8eed26f4169b42db071b4644d150638add3ff6e52966903a6cd53bc36506ca"),
        Row(
            parts: "filters:round_corner(1,2,3,4,1):convolution(1;2;3;4,2,0)/", format: "image/png",
            tag: "ysOj3AAOuRD9fc6FfFSoIw",
            file: "1d/96c5925f86ef395cbce4a43e16de5fba4b9fdb6228903308f175df28f1a533"),
    ]
}
