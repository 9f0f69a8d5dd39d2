import Secrets
import Testing

@testable import OAuth

@Suite struct DeviceAuthorizationTests {
    /// The response of RFC 8628 section 3.2.
    static let example = """
        {
          "device_code": "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS",
          "user_code": "WDJB-MJHT",
          "verification_uri": "https://example.com/device",
          "verification_uri_complete": "https://example.com/device?user_code=WDJB-MJHT",
          "expires_in": 1800,
          "interval": 5
        }
        """

    private func begun(_ body: String = example) throws -> DeviceAuthorization {
        try DeviceAuthorization(response(200, body), for: .make(), at: 0)
    }

    @Test("The example of RFC 8628 sections 3.1 to 3.4") func specification() throws {
        let endpoint = try ServiceURL("https://server.example.com/device_authorization")
        let begin = DeviceAuthorization.request(for: try .make(), at: endpoint, .init(scope: "example_scope"))
        #expect(form(begin) == ["scope=example_scope", "client_id=s6BhdRkqt3"])
        let device = try begun()
        #expect(device.userCode == "WDJB-MJHT" && device.page == "https://example.com/device")
        #expect(device.completePage == "https://example.com/device?user_code=WDJB-MJHT")
        #expect(device.interval == 5 && device.expiry == 1800)
        #expect(
            form(device.tokenRequest) == [
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code",
                "device_code=GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS", "client_id=s6BhdRkqt3",
            ]
        )
    }

    /// What a service in trouble, or a proxy before it, answers between two questions (RFC 8628 section 3.5: ask less often).
    @Test(
        "Trouble of the service does not end the sign-in before its code does",
        arguments: [
            (502, "<html>Bad Gateway</html>"), (503, ""), (504, "{}"), (500, #"{"message":"later"}"#),
            (429, "slow down"), (408, ""), (425, ""), (404, "no"), (401, ""),
            (200, "<html>Welcome to the hotel</html>"), (302, ""), (200, ""),
            (400, "<html>wall</html>"), (403, "<html>puzzle</html>"), (404, "<html>x</html>"),
            (429, #"{"error":"too_many_requests"}"#), (408, #"{"error":"request_timeout"}"#),
            (503, #"{"error":"temporarily_unavailable"}"#), (500, #"{"error":"server_error"}"#),
            (502, #"{"error":"bad_gateway"}"#), (503, #"{"error":{"code":503}}"#), (429, #"{"errorCode":"E0000047"}"#),
            (400, #"{"error":"server_error"}"#), (400, #"{"error":"temporarily_unavailable"}"#),
            (503, #"{"error":"invalid_request"}"#),
        ]
    )
    func trouble(status: Int, body: String) throws {
        var device = try begun()
        guard case .retry = try device.received(response(status, body), at: 10) else {
            Issue.record("\(status) does not go on")
            return
        }
        // The service has not said `expired_token`; the error has the status that was seen.
        do {
            _ = try device.received(response(status, body), at: 1800)
            Issue.record("\(status) goes on after the code")
        } catch TokenServiceError.codeEnded(let last) {
            #expect(last?.hasPrefix("status \(status)") == true)
        }
    }

    @Test(
        "A few responses in a row that cannot be read end the sign-in with what the last one was",
        arguments: [
            (200, "<html>Welcome to the hotel</html>", "status 200 and no JSON (line 1: "),
            (200, #"{"access_token":"SECRET","token_ty"#, "status 200 and no JSON (line 1: "),
            (200, #"["a"]"#, "status 200 and no JSON (line 1: an object was expected)"),
            (404, "<html>x</html>", "status 404 and no reason"), (400, #"{"error":5}"#, "status 400 and no reason"),
        ]
    )
    func unreadable(status: Int, body: String, last: String) throws {
        let body = body.replacing("SECRET", with: "hunter2")
        var device = try begun()
        func isAskedAgain(_ status: Int, _ body: String) throws -> Bool {
            switch try device.received(response(status, body), at: 10) {
            case .retry, .wait: true
            case .granted: false
            }
        }
        let pending = #"{"error":"authorization_pending"}"#
        for _ in 1..<TokenLimits.unreadableResponses { #expect(try isAskedAgain(status, body)) }
        // What can be read begins the count anew; a service in trouble neither counts nor begins it anew.
        #expect(try isAskedAgain(400, pending))
        for _ in 1..<TokenLimits.unreadableResponses {
            #expect(try isAskedAgain(status, body))
            for trouble in [500, 502, 503, 408, 425, 429] { #expect(try isAskedAgain(trouble, "<html>")) }
        }
        let error = #expect(throws: TokenServiceError.self) { try device.received(response(status, body), at: 10) }
        guard case .unreadable(let found)? = error else {
            Issue.record("goes on")
            return
        }
        #expect(found.hasPrefix(last))
        let text = error.map { "\($0)" } ?? ""
        #expect(!text.contains("hunter2") && !text.contains("\n"))
    }

    @Test("A service in trouble is asked for ever, until the code ends") func endlessTrouble() throws {
        var device = try begun()
        for _ in 0..<100 {
            guard case .retry = try device.received(response(503, "<html>"), at: 10) else {
                Issue.record("does not go on")
                return
            }
            #expect(device.firstUnreadable == nil)
        }
    }

    @Test("A grant without a token ends the sign-in") func unusable() throws {
        var device = try begun()
        #expect(throws: TokenServiceError.missing("access_token")) {
            try device.received(response(200, "{}"), at: 10)
        }
    }

    @Test("Optional members that are null or empty are absent", arguments: ["null", #""""#]) func absent(value: String)
        throws
    {
        let device = try begun(
            Self.example.replacing(#""interval": 5"#, with: #""interval": \#(value)"#)
                .replacing(#""https://example.com/device?user_code=WDJB-MJHT""#, with: value)
        )
        #expect(device.interval == 5 && device.completePage == nil)
    }

    @Test("authorization_pending waits, and slow_down waits five seconds more from then on (RFC 8628 section 3.5)")
    func waiting() throws {
        var device = try begun()
        func answer(_ word: String) throws -> Bool {
            guard case .wait = try device.received(response(400, #"{"error":"\#(word)"}"#), at: 10) else {
                return false
            }
            return true
        }
        #expect(try answer("authorization_pending") && device.interval == 5)
        #expect(try answer("slow_down") && device.interval == 10)
        #expect(try answer("authorization_pending") && device.interval == 10)
        for _ in 0..<100 { _ = try answer("slow_down") }
        #expect(device.interval == TokenLimits.longestDeviceInterval)
        let granted = try device.received(response(200, #"{"access_token":"t","token_type":"Bearer"}"#), at: 20)
        guard case .granted(let grant) = granted else {
            Issue.record("not granted")
            return
        }
        #expect(secretText(grant.access.secret) == "t")
    }

    @Test(
        "access_denied and expired_token end the sign-in (RFC 8628 section 3.5)",
        arguments: [
            ("access_denied", OAuthRefusal.Code.accessDenied), ("expired_token", .expiredToken),
            ("invalid_grant", .invalidGrant), ("invalid_client", .invalidClient), ("invalid_request", .invalidRequest),
            ("unauthorized_client", .unauthorizedClient), ("unsupported_grant_type", .unsupportedGrantType),
            ("invalid_scope", .invalidScope),
        ]
    )
    func ended(word: String, code: OAuthRefusal.Code) throws {
        var device = try begun()
        #expect(throws: TokenServiceError.refused(OAuthRefusal(code: code, text: nil))) {
            _ = try device.received(response(400, #"{"error":"\#(word)"}"#), at: 10)
        }
    }

    @Test("A service that says pending for ever ends with the code") func pendingForEver() throws {
        var device = try begun()
        #expect(throws: TokenServiceError.codeEnded(last: #""authorization_pending""#)) {
            _ = try device.received(response(400, #"{"error":"authorization_pending"}"#), at: 1800)
        }
    }

    @Test("Absent and strange members", arguments: ["device_code", "user_code", "verification_uri\"", "expires_in"])
    func missing(name: String) {
        let body = Self.example.replacing("\"\(name)", with: "\"x\(name)")
        #expect(throws: TokenServiceError.self) { try begun(body) }
    }

    @Test("Without an interval it is five seconds; none is shorter than one") func intervals() throws {
        #expect(try begun(Self.example.replacing(",\n  \"interval\": 5", with: "")).interval == 5)
        #expect(try begun(Self.example.replacing("\"interval\": 5", with: "\"interval\": 0")).interval == 1)
        #expect(
            try begun(Self.example.replacing("\"interval\": 5", with: "\"interval\": 99999")).interval
                == TokenLimits.longestDeviceInterval
        )
    }
}
