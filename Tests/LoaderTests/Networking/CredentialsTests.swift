import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct CredentialsTests {
    private func sent(
        _ credentials: Credentials, to url: String = "https://a.example/x", fields: HeaderFields = [:]
    ) -> HTTPRequest {
        credentials.applied(to: HTTPRequest(url: url, fields: fields))
    }

    /// Rules and examples: RFC 4648 §10 (padding), RFC 7617 §2 and §2.1 (user and password).
    @Test(
        arguments: [
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123£", "Basic dGVzdDoxMjPCow=="),
            ("", "", "Basic Og=="), ("f", "", "Basic Zjo="), ("f", "o", "Basic Zjpv"), ("u", "a:b", "Basic dTphOmI="),
            ("\u{10FFFF}", "?~", "Basic 9I+/vzo/fg=="),
        ])
    func basicAuthorizationIsTheBase64OfUserAndPasswordInUTF8(_ row: (String, String, String)) throws {
        #expect(try BasicAuth(user: row.0, password: row.1).authorization == row.2)
    }

    @Test(arguments: [("a:b", "c"), ("a\n", "c"), ("a", "c\r"), ("\u{0}", ""), ("a", "\u{7F}"), ("a", "\u{85}")])
    func basicAuthWithAColonInTheUserOrControlCharactersIsRejected(_ row: (String, String)) {
        #expect(throws: LoadError.configuration("")) { try BasicAuth(user: row.0, password: row.1) }
    }

    @Test func credentialDescriptionsAndDumpsDoNotContainThePassword() throws {
        let auth = try BasicAuth(user: "user", password: "secret")
        var dumped = ""
        dump(auth, to: &dumped)
        dump(Credentials(basicAuth: auth), to: &dumped)

        #expect(![dumped, "\(auth)", String(reflecting: auth)].contains { $0.contains("secret") })
    }

    @Test func authorizationFieldOverridesURLCredentialsWhichOverrideLoaderCredentials() throws {
        let credentials = Credentials(basicAuth: try BasicAuth(user: "loader", password: "p"))
        let own = try BasicAuth(user: "me", password: "p").authorization
        let loader = try BasicAuth(user: "loader", password: "p").authorization

        let explicit = sent(credentials, to: "https://me:p@a.example/x", fields: ["authorization": "Bearer x"])
        let inAddress = sent(credentials, to: "https://me:p@a.example/x", fields: ["Accept": "*/*"])
        let plain = sent(credentials)

        #expect(explicit == HTTPRequest(url: "https://a.example/x", fields: ["authorization": "Bearer x"]))
        let expected: HeaderFields = ["Accept": "*/*", "Authorization": own]
        #expect(inAddress == HTTPRequest(url: "https://a.example/x", fields: expected))
        #expect(plain == HTTPRequest(url: "https://a.example/x", fields: ["Authorization": loader]))
        #expect(sent(Credentials()) == HTTPRequest(url: "https://a.example/x"))
    }

    @Test(
        arguments: [
            ("http://u@h/", "u", ""), ("http://u:@h/", "u", ""), ("http://:p@h/", "", "p"),
            ("http://u:p:q@h/", "u", "p:q"),
            ("http://%75%3a:p@h/", nil, nil), ("http://u:p%40%2F@h/", "u", "p@/"), ("http://u:%zz%4@h/", "u", "%zz%4"),
            ("http://u:%ff@h/", nil, nil), ("http://@h/", nil, nil), ("http://:@h/", nil, nil),
            ("http://u:a@b@h/", "u", "a@b"), ("http://u:%C3%A9@h/", "u", "é"), ("http://u:%0D%0A@h/", nil, nil),
        ] as [(String, String?, String?)])
    func userInformationIsRemovedFromTheURLAndSentAsBasicAuthIfValid(_ row: (String, String?, String?)) throws {
        let request = sent(Credentials(), to: row.0)

        #expect(request.url == "http://h/")
        let expected = try row.1.map { try BasicAuth(user: $0, password: row.2 ?? "").authorization }
        #expect(request.fields["Authorization"] == expected.map { Array($0.utf8) })
    }

    @Test(
        arguments: [
            ("https://a.example/x", true), ("https://A.example:443/", true), ("http://a.example/", false),
            ("https://a.example:8443/", false), ("https://b.example/", false), ("https://a.example.b/", false),
        ])
    func credentialsAreSentOnlyToPermittedOrigins(_ row: (String, Bool)) throws {
        let only = try #require(Origin("https://a.example"))
        let auth = try BasicAuth(user: "u", password: "p")

        let request = sent(Credentials(basicAuth: auth, origins: [only]), to: row.0)

        #expect(request.fields.contains("Authorization") == row.1)
    }

    @Test(
        arguments: [
            ("http://h", "http://h"), ("HTTPS://U:p@H.example:443?q", "https://h.example"),
            ("http://[::1]:80/", "http://[::1]"),
            ("https://h:80/#f", "https://h:80"), ("ftp://h/", nil), ("http://", nil), ("h", nil), ("", nil),
        ] as [(String, String?)])
    func originIsNormalizedToSchemeHostAndPort(_ row: (String, String?)) {
        #expect(Origin(row.0)?.description == row.1)
    }
}

struct PartitionTests {
    private let key = PartitionKey()

    @Test func partitionNameWithoutCredentialFieldsIsEmpty() {
        #expect(key.partition(of: [:]) == "")
        #expect(key.partition(of: ["Accept": "*/*", "Proxy-Authorization": "x"]) == "")
    }

    @Test func equalCredentialsInAnyFieldOrderHaveOnePartition() {
        let one = key.partition(of: ["Authorization": "Basic x", "Accept": "*/*", "Cookie": "a=b"])
        let other = key.partition(of: ["cookie": "a=b", "AUTHORIZATION": "Basic x"])

        #expect(one == other)
        #expect(one.utf8.count == 64)
        #expect(one.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) })
    }

    @Test func differentCredentialsHaveDifferentPartitions() {
        let all: [HeaderFields] = [
            [:], ["Authorization": ""], ["Cookie": ""], ["Authorization": "a"], ["Cookie": "a"],
            ["Authorization": "ab"],
            ["Authorization": "a", "Cookie": "b"], ["Authorization": "b", "Cookie": "a"], ["Authorization": "A"],
            ["Authorization": "a", "authorization": "b"], ["Authorization": "b", "authorization": "a"],
            ["Authorization": "aCookie 1 b"], ["Cookie": "a", "cookie": "b"], ["Cookie": "a, b"], ["Cookie": "a; b"],
        ]
        #expect(Set(all.map(key.partition)).count == all.count)
    }

    @Test func equalCredentialsHaveDifferentPartitionsWithDifferentPartitionKeys() {
        #expect(PartitionKey().partition(of: ["Cookie": "a"]) != key.partition(of: ["Cookie": "a"]))
    }

    /// The expected digest comes from another implementation of HMAC-SHA256.
    @Test func partitionIsTheHMACOfTheCredentialFieldsWithTheLengthOfEachValue() throws {
        let folder = try DiskFolder()
        try write([UInt8](repeating: 7, count: 32), to: folder)

        let partition = PartitionKey(directory: folder.path).partition(of: ["Authorization": "Basic x", "Cookie": "a"])

        #expect(partition == "1e84192925b9e193be1bf03101775d43bbd001ff135346926920e7ee76a0c0c6")
    }

    private func write(_ bytes: [UInt8], to folder: DiskFolder) throws {
        try Data(bytes).write(to: URL(filePath: folder.path + "/" + PartitionKey.fileName))
    }

    @Test func partitionKeyFileIsPersistentAndReadableOnlyByItsOwner() throws {
        let folder = try DiskFolder()
        let first = PartitionKey(directory: folder.path).partition(of: ["Cookie": "a"])
        let second = PartitionKey(directory: folder.path).partition(of: ["Cookie": "a"])

        #expect(first == second)
        #expect(folder.files == [PartitionKey.fileName])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + PartitionKey.fileName)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func partitionKeyFileOfWrongLengthIsReplaced() throws {
        for count in [0, 31, 33] {
            let folder = try DiskFolder()
            try write([UInt8](repeating: 7, count: count), to: folder)

            let first = PartitionKey(directory: folder.path).partition(of: ["Cookie": "a"])

            #expect(PartitionKey(directory: folder.path).partition(of: ["Cookie": "a"]) == first)
            #expect(folder.files == [PartitionKey.fileName])
        }
    }

    @Test func partitionKeyWithoutAUsableFolderIsCreatedInMemory() {
        let key = PartitionKey(directory: "/nowhere/at/all")

        #expect(key.partition(of: ["Cookie": "a"]).utf8.count == 64)
    }

    @Test func concurrentCreationOfThePartitionKeyFileYieldsOneKey() async throws {
        let folder = try DiskFolder()
        let partitions = await withTaskGroup(of: String.self) { group in
            for _ in 0..<40 {
                group.addTask { PartitionKey(directory: folder.path).partition(of: ["Cookie": "a"]) }
            }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(partitions.count == 1)
        #expect(folder.files == [PartitionKey.fileName])
    }

    @Test func purgingTheCacheKeepsThePartitionKeyFile() async throws {
        let folder = try DiskFolder()
        let cache = folder.cache()
        let first = PartitionKey(directory: folder.path).partition(of: ["Cookie": "a"])

        _ = await cache.purge()

        #expect(PartitionKey(directory: folder.path).partition(of: ["Cookie": "a"]) == first)
    }
}
