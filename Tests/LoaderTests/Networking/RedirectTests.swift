import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct RedirectTests {
    private func chain(
        _ url: String = "https://a.example/x/y?z=1", method: String = "GET", fields: HeaderFields = [:], limit: Int = 20
    ) -> RedirectChain {
        RedirectChain(HTTPRequest(method: method, url: url, fields: fields), maxRedirects: limit)
    }

    private func head(_ status: Int = 302, _ location: String) -> ResponseHead {
        ResponseHead(status: status, fields: ["Location": location])
    }

    private func code(_ chain: RedirectChain, _ head: ResponseHead) -> LoadError.Code? {
        var chain = chain
        do throws(LoadError) {
            _ = try chain.follow(head)
            return nil
        } catch {
            return error.code
        }
    }

    /// The method of the next request for each status and method (RFC 9110 §15.4).
    @Test func redirectStatusAndRequestMethodDetermineTheMethodOfTheNextRequest() throws {
        let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]
        let expected: [Int: [String]] = [
            301: ["GET", "HEAD", "GET", "PUT", "DELETE", "OPTIONS"],
            302: ["GET", "HEAD", "GET", "PUT", "DELETE", "OPTIONS"],
            303: ["GET", "HEAD", "GET", "GET", "GET", "GET"],
            307: methods, 308: methods,
        ]
        for (status, row) in expected {
            for (method, wanted) in zip(methods, row) {
                var chain = chain(method: method)
                let next = try chain.follow(head(status, "/next"))
                #expect(next?.method == wanted, "\(status) \(method)")
            }
        }
    }

    @Test func responseWithoutARedirectStatusIsNotFollowed() throws {
        for status in 100...599 where ![301, 302, 303, 307, 308].contains(status) {
            var chain = chain()
            #expect(try chain.follow(head(status, "/next")) == nil, "\(status)")
        }
    }

    @Test func redirectWithoutLocationIsTheFinalResponse() throws {
        var chain = chain()

        let next = try chain.follow(ResponseHead(status: 301, fields: [:]))

        #expect(next == nil)
        #expect(chain.hops == 0)
    }

    @Test func redirectThatDropsTheBodyRemovesTheContentFields() throws {
        let fields: HeaderFields = ["Content-Type": "text/plain", "content-length": "3", "X": "1", "Accept": "*/*"]
        var seeOther = chain(method: "POST", fields: fields)
        var temporary = chain(method: "POST", fields: fields)

        #expect(try seeOther.follow(head(303, "/n"))?.fields == ["X": "1", "Accept": "*/*"])
        #expect(try temporary.follow(head(307, "/n"))?.fields == fields)
    }

    @Test(
        arguments: [
            ("/n", "https://a.example/n"), ("n?a=%2F&b", "https://a.example/x/n?a=%2F&b"),
            ("?q", "https://a.example/x/y?q"), ("//b.example", "https://b.example/"), ("n#f", "https://a.example/x/n"),
            ("HTTP://B.example:80/é ü?ö", "HTTP://B.example:80/%C3%A9%20%C3%BC?%C3%B6"),
            (" /n\t", "https://a.example/n"),
            ("http://[::1]:8080/n", "http://[::1]:8080/n"), ("../../../n", "https://a.example/n"),
            ("http://b?x", "http://b/?x"), ("http://b.exämple:81/ä", "http://b.xn--exmple-cua:81/%C3%A4"),
            ("http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"), ("/caf%E9", "https://a.example/caf%E9"),
            ("1a:b", "https://a.example/x/1a:b"),
        ])
    func locationIsResolvedAgainstTheURLOfTheRequest(_ row: (String, String)) throws {
        var chain = chain()

        #expect(try chain.follow(head(302, row.0))?.url == row.1)
    }

    @Test(arguments: [
        "ftp://b.example/", "file:///etc/passwd", "data:image/png;base64,AAAA", "javascript:x", "https:/n", "https:n",
        "https://", "//", "///n", "http://user@b.example/", "http://user:secret@b.example/", "//@b.example/",
        "http://a\\@b.example/", "http://b.example%00.c/", "http://b.ex℀mple/", "http://b%C3.example/", "http://xn--ä/",
        "http://b.example:99999/",
        "http://b.example:8o/", "http://[::1/", "http://b c/", "http://b.example/\u{7F}", "/n\r\nX: 1", "/\u{0}",
        "http://:80/", "http://a]b/", "http://a:1:2/",
    ])
    func redirectToAnInvalidOrNonHTTPURLOrToAURLWithUserInformationFails(_ location: String) {
        #expect(code(chain(), head(302, location)) == .redirect, "\(location)")
    }

    @Test func repeatedEqualLocationLinesAreFollowedAndDifferentLinesFail() throws {
        var same = chain()
        let twice = ResponseHead(status: 302, fields: ["Location": "/n", "location": "/n"])
        let differing = ResponseHead(status: 302, fields: ["Location": "/n", "location": "/m"])

        #expect(try same.follow(twice)?.url == "https://a.example/n")
        #expect(code(chain(), differing) == .redirect)
    }

    @Test(arguments: 0...6)
    func redirectsAreFollowedUpToMaxRedirects(_ limit: Int) throws {
        var chain = chain(limit: limit)
        for hop in 0..<limit { #expect(try chain.follow(head(302, "/\(hop)")) != nil) }

        #expect(chain.hops == limit)
        #expect(code(chain, head(302, "/last")) == .redirect)
    }

    /// Every chain of up to five redirects over three URLs fails exactly where a URL is repeated.
    @Test func redirectLoopFailsAtTheFirstRepeatedURL() {
        func walk(_ chain: RedirectChain, visited: Set<Int>, depth: Int) {
            guard depth < 5 else { return }
            for next in 0..<3 {
                var longer = chain
                let reached = (try? longer.follow(head(307, "https://a.example/\(next)#\(depth)"))) != nil
                #expect(reached == !visited.contains(next))
                if reached { walk(longer, visited: visited.union([next]), depth: depth + 1) }
            }
        }
        walk(chain("https://a.example/0"), visited: [0], depth: 0)
    }

    @Test func redirectToAnEquivalentSpellingOfTheURLIsALoop() {
        #expect(code(chain("http://a.example"), head(301, "HTTP://A.example:80/#x")) == .redirect)
    }

    @Test func failedRedirectLeavesTheRedirectChainUnchanged() throws {
        var chain = chain()
        #expect(throws: LoadError.self) { try chain.follow(head(302, "ftp://b/")) }

        #expect(chain.hops == 0)
        #expect(try chain.follow(head(302, "/n"))?.url == "https://a.example/n")
    }

    private static let secrets: HeaderFields = [
        "Authorization": "Basic x", "cookie": "a=b", "Proxy-Authorization": "p", "Accept": "*/*", "Cookie": "c=d",
    ]

    /// Docs/http-cache.md 5.5: origins are equal if scheme, host and port are equal.
    @Test(
        arguments: [
            ("https://a.example/n", true), ("https://A.EXAMPLE:443/n", true), ("https://a.example:0443/n", true),
            ("/n", true), ("http://a.example/n", false), ("http://a.example:443/n", false),
            ("https://a.example:444/n", false), ("https://b.a.example/n", false), ("https://a.example./n", false),
            ("https://b.example/n", false), ("//a.example.b.example/n", false),
        ])
    func credentialsAreRemovedOnARedirectToAnotherOrigin(_ row: (String, Bool)) throws {
        var chain = chain(fields: Self.secrets)

        let next = try chain.follow(head(302, row.0))

        #expect(next?.fields == (row.1 ? Self.secrets : ["Accept": "*/*"]))
        #expect(chain.hasChangedOrigin == !row.1)
    }

    @Test func credentialsAreNotRestoredAfterARedirectBackToTheFirstOrigin() throws {
        var chain = chain(fields: Self.secrets)
        _ = try chain.follow(head(302, "https://b.example/"))

        let back = try chain.follow(head(302, "https://a.example/n"))

        #expect(back?.fields == ["Accept": "*/*"])
        #expect(chain.hasChangedOrigin)
    }

    @Test func redirectErrorContainsNeitherQueryNorUserInformation() throws {
        var chain = chain("https://a.example/x?token=secret")
        do throws(LoadError) {
            _ = try chain.follow(head(302, "http://user:secret@b.example/"))
            Issue.record("the redirect was followed")
        } catch {
            #expect(!error.description.contains("secret"))
            #expect(error.url == "https://a.example/x?***")
        }
    }
}
