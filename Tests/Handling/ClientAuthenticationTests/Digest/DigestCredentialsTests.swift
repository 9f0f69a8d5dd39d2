import HTTPAuthentication
import Secrets
import Testing

@testable import ClientAuthentication

@Suite struct DigestCredentialsTests {
    /// RFC 7616 section 3.9.1.
    private static let parameters =
        #"username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", "#
        + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, "#
        + #"cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, "#
        + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", "#

    private static func credentials(_ rest: String) throws -> DigestCredentials? {
        DigestCredentials(try ChallengeParser.parse("Digest \(parameters)\(rest)")[0])
    }

    @Test(
        "The answers of RFC 7616 section 3.9.1 are right, and with another method, password or digit they are not",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ]
    )
    func published(algorithm: String, response: String) throws {
        let credentials = try #require(try Self.credentials("algorithm=\(algorithm), response=\"\(response)\""))
        let key = credentials.key(.password(SharedSecret(utf8: "Circle of Life"))).digits
        #expect(credentials.isRight(key, method: "GET"))
        #expect(!credentials.isRight(key, method: "POST"))
        #expect(
            !credentials.isRight(credentials.key(.password(SharedSecret(utf8: "Circle of Lies"))).digits, method: "GET")
        )
        let wrong = try #require(
            try Self.credentials("algorithm=\(algorithm), response=\"\(response.replacing("7", with: "8"))\"")
        )
        #expect(!wrong.isRight(key, method: "GET"))
        #expect(credentials.name == "Mufasa" && credentials.count == 1)
    }

    @Test("H(A1) is right for its own name, realm and MD5, and for nothing else")
    func hashedSecret() throws {
        // md5sum of "Mufasa:http-auth@example.org:Circle of Life", in capital letters.
        let digits = Array("3D78807DEFE7DE2157E2B0B6573A855F".utf8)
        func secret(_ user: String, _ realm: String) throws -> ClientSecret {
            let secret = DigestSecret(user: user, realm: realm, digits: digits.span)
            return .digest(try #require(secret))
        }
        let answer = "response=\"8ca523f5e9506fed4657c9700eebdbec\""
        let md5 = try #require(try Self.credentials("algorithm=MD5, \(answer)"))
        let right = md5.key(try secret("Mufasa", "http-auth@example.org"))
        #expect(right.isKnown && md5.isRight(right.digits, method: "GET"))
        for other in [try secret("mufasa", "http-auth@example.org"), try secret("Mufasa", "other")] {
            #expect(!md5.key(other).isKnown)
        }
        let sha256 = try #require(try Self.credentials("algorithm=SHA-256, \(answer)"))
        #expect(!sha256.key(try secret("Mufasa", "http-auth@example.org")).isKnown)
        #expect(!md5.key(nil).isKnown)
        let known = try secret("Mufasa", "http-auth@example.org")
        let isRefused = DigestSecret(user: "a", realm: "b", digits: digits.span.extracting(first: 30)) == nil
        #expect(known.accepts(SharedSecret(utf8: "Circle of Life")) && !known.accepts(SharedSecret(utf8: "Circle")))
        #expect("\(known)" == "<H(A1)>" && isRefused)
    }

    @Test("The target is that of the request, or the path of an absolute one")
    func targets() throws {
        let credentials = try #require(try Self.credentials("response=\"0\""))
        #expect(credentials.covers("/dir/index.html"))
        #expect(credentials.covers("http://www.example.org/dir/index.html"))
        #expect(!credentials.covers("/dir/index.html?q"))
        #expect(!credentials.covers("/secret"))
        #expect(!credentials.covers("http://www.example.org/secret?/dir/index.html"))
        #expect(!credentials.covers("www.example.org:443"))
        let text =
            #"Digest username="a", realm="r", nonce="n", uri="/\#u{E9}", response="0", qop=auth, cnonce="c", nc=00000001"#
        let accented = try #require(DigestCredentials(ChallengeParser.parse(text)[0]))
        #expect(accented.covers("/\u{E9}") && !accented.covers("/e\u{301}") && !accented.covers("http://x/e\u{301}"))
    }

    @Test(
        "An answer without a parameter, or with one that was not offered, is not read",
        arguments: [
            #"username="a", realm="r", nonce="n", uri="/", response="0", cnonce="c", nc=00000001"#,
            #"username="a", realm="r", nonce="n", uri="/", response="0", qop=auth, nc=00000001"#,
            #"username="a", realm="r", nonce="n", uri="/", response="0", qop=auth, cnonce="", nc=00000001"#,
            #"username="a", realm="r", nonce="n", uri="/", response="0", qop=auth, cnonce="c", nc=1"#,
            #"username="a", realm="r", nonce="n", uri="/", response="0", qop=auth, cnonce="c", nc=00000000"#,
            #"username="a", realm="r", nonce="n", uri="/", response="0", qop=auth, cnonce="c", nc="+0000001""#,
            #"username="a", realm="r", nonce="n", uri="/", response="0", qop=auth-int, cnonce="c", nc=00000001"#,
            #"username="a", userhash=true, realm="r", nonce="n", uri="/", response="0", qop=auth, cnonce="c", nc=00000001"#,
            #"username="a", algorithm=MD5-sess, realm="r", nonce="n", uri="/", response="0", qop=auth, cnonce="c", nc=00000001"#,
            #"username="a", username*=UTF-8''a, realm="r", nonce="n", uri="/", response="0", qop=auth, cnonce="c", nc=00000001"#,
            #"username*=UTF-8''%4, realm="r", nonce="n", uri="/", response="0", qop=auth, cnonce="c", nc=00000001"#,
            #"username*=UTF-8''%FF, realm="r", nonce="n", uri="/", response="0", qop=auth, cnonce="c", nc=00000001"#,
            #"realm="r", nonce="n", uri="/", response="0", qop=auth, cnonce="c", nc=00000001"#,
        ]
    )
    func unreadable(parameters: String) throws {
        #expect(DigestCredentials(try ChallengeParser.parse("Digest \(parameters)")[0]) == nil)
    }

    @Test("A name outside ASCII comes in the extended notation (RFC 7616 section 3.9.2)")
    func extendedName() throws {
        let answer = try ChallengeParser.parse(
            "Digest username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, realm=\"r\", nonce=\"n\", uri=\"/\", response=\"0\", qop=auth, "
                + "cnonce=\"c\", nc=00000001"
        )
        #expect(DigestCredentials(answer[0])?.name == "Jäsøn Doe")
    }
}
