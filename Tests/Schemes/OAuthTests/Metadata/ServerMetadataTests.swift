import Testing

@testable import OAuth

@Suite struct ServerMetadataTests {
    /// From the example of RFC 8414 section 3.2.
    static let example = """
        {
         "issuer": "https://server.example.com",
         "authorization_endpoint": "https://server.example.com/authorize",
         "token_endpoint": "https://server.example.com/token",
         "token_endpoint_auth_methods_supported": ["client_secret_basic", "private_key_jwt"],
         "userinfo_endpoint": "https://server.example.com/userinfo",
         "jwks_uri": "https://server.example.com/jwks.json",
         "revocation_endpoint": "https://server.example.com/revoke",
         "code_challenge_methods_supported": ["plain", "S256"],
         "authorization_response_iss_parameter_supported": true,
         "ui_locales_supported": ["en-US", "en-GB", "en-CA", "fr-FR", "fr-CA"]
        }
        """

    @Test(
        "The well-known part goes between host and path (RFC 8414 sections 3.1 and 5, OpenID Connect Discovery 4)",
        arguments: [
            ("https://example.com", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]),
            (
                "https://example.com/issuer1",
                [
                    "/.well-known/oauth-authorization-server/issuer1", "/issuer1/.well-known/openid-configuration",
                    "/.well-known/openid-configuration/issuer1",
                ]
            ),
            // "any terminating / MUST be removed before inserting"
            (
                "https://example.com/issuer1/",
                [
                    "/.well-known/oauth-authorization-server/issuer1", "/issuer1/.well-known/openid-configuration",
                    "/.well-known/openid-configuration/issuer1",
                ]
            ),
        ]
    )
    func places(issuer: String, places: [String]) throws {
        #expect(try ServerMetadata.requests(for: ServiceURL(issuer)).map(\.url.target) == places)
    }

    @Test("A client with a certificate uses the aliases of endpoints (RFC 8705 section 5)") func aliases() throws {
        let issuer = try ServiceURL("https://server.example.com")
        let aliased = Self.example.replacing(
            #""ui_locales_supported""#,
            with: #"""
                "pushed_authorization_request_endpoint": "https://server.example.com/par",
                 "require_pushed_authorization_requests": true,
                 "mtls_endpoint_aliases": {
                   "token_endpoint": "https://mtls.example.com/token",
                   "revocation_endpoint": "https://mtls.example.com/revo"
                 },
                 "ui_locales_supported"
                """#
        )
        let metadata = try ServerMetadata(response(200, aliased), for: issuer)
        #expect(metadata.tokenEndpoint.spelling == "https://server.example.com/token")
        #expect(metadata.requiresPushedRequests && metadata.pushedRequestEndpoint?.path == "/par")
        let mutual = try metadata.forCertificates()
        #expect(mutual.tokenEndpoint.spelling == "https://mtls.example.com/token")
        #expect(mutual.revocationEndpoint?.spelling == "https://mtls.example.com/revo")
        // One without an alias stays.
        #expect(mutual.pushedRequestEndpoint == metadata.pushedRequestEndpoint)
        let plain = try ServerMetadata(response(200, Self.example), for: issuer)
        #expect(try plain.forCertificates().tokenEndpoint == plain.tokenEndpoint && !plain.requiresPushedRequests)
        // An alias must be used, so one that cannot be used is not passed over.
        let broken = aliased.replacing("https://mtls.example.com/revo", with: "http://mtls.example.com/revo")
        let unusable = try ServerMetadata(response(200, broken), for: issuer)
        #expect(throws: TokenServiceError.self) { try unusable.forCertificates() }
    }

    @Test(
        "An optional endpoint that cannot be used is left out, and the others are used",
        arguments: [
            "", "/revoke", "revoke", "http://server.example.com/revoke", "https://server.example.com/revoke#f",
            "https://",
        ]
    )
    func unusable(url: String) throws {
        let body = Self.example.replacing("https://server.example.com/revoke", with: url)
        let metadata = try ServerMetadata(response(200, body), for: ServiceURL("https://server.example.com"))
        #expect(metadata.revocationEndpoint == nil && metadata.tokenEndpoint.path == "/token")
        // An empty one is absent, and says nothing.
        #expect(metadata.unusable.count == (url.isEmpty ? 0 : 1))
    }

    @Test("A sign-in page that cannot be used is named with its reason") func unusablePage() throws {
        let body = Self.example.replacing(
            "https://server.example.com/authorize",
            with: "http://server.example.com/authorize"
        )
        let metadata = try ServerMetadata(response(200, body), for: ServiceURL("https://server.example.com"))
        #expect {
            try AuthorizationRequest.Service(metadata)
        } throws: { "\($0)".contains("authorization_endpoint") && "\($0)".contains("http") }
    }

    @Test(
        "A service that says which proofs it takes, and not S256, gets no sign-in (RFC 7636 section 4.2)",
        arguments: [(#"["plain"]"#, false), ("[]", false), (#"["S256"]"#, true), (#"["plain", "S256"]"#, true)]
    )
    func proofs(methods: String, isTaken: Bool) throws {
        let body = Self.example.replacing(#"["plain", "S256"]"#, with: methods)
        let metadata = try ServerMetadata(response(200, body), for: ServiceURL("https://server.example.com"))
        #expect(((try? AuthorizationRequest.Service(metadata)) != nil) == isTaken)
    }

    @Test("The example of RFC 8414 section 3.2") func specification() throws {
        let issuer = try ServiceURL("https://server.example.com")
        let metadata = try ServerMetadata(response(200, Self.example), for: issuer)
        #expect(metadata.tokenEndpoint == (try ServiceURL("https://server.example.com/token")))
        #expect(metadata.authorizationEndpoint?.target == "/authorize")
        #expect(metadata.revocationEndpoint?.target == "/revoke")
        #expect(metadata.deviceEndpoint == nil)
        #expect(metadata.takesS256 == true && metadata.namesIssuer)
    }

    @Test(
        "The document of another issuer is refused (RFC 8414 section 3.3)",
        arguments: [
            "https://evil.example.com", "https://server.example.com/other", "https://server.example.com.evil.example",
        ]
    )
    func otherIssuer(issuer: String) {
        #expect(throws: TokenServiceError.self) {
            try ServerMetadata(response(200, Self.example), for: ServiceURL(issuer))
        }
    }

    @Test(
        "An endpoint in clear text is refused, also one on this machine",
        arguments: ["http://server.example.com/token", "http://127.0.0.1/token", "http://localhost:8080/token"]
    )
    func clearText(url: String) {
        let body = Self.example.replacing("https://server.example.com/token", with: url)
        #expect(throws: TokenServiceError.self) {
            try ServerMetadata(response(200, body), for: ServiceURL("https://server.example.com"))
        }
    }
}

@Suite struct ResourceMetadataTests {
    /// From the example of RFC 9728 section 3.2.
    static let example = """
        {
         "resource": "https://resource.example.com",
         "authorization_servers": ["https://as1.example.com", "https://as2.example.net"],
         "bearer_methods_supported": ["header", "body"],
         "scopes_supported": ["profile", "email", "phone"],
         "resource_documentation": "https://resource.example.com/resource_documentation.html"
        }
        """

    @Test("The example of RFC 9728 section 3.2") func specification() throws {
        let url = try ServiceURL("https://resource.example.com/a")
        let metadata = try ResourceMetadata(response(200, Self.example), for: url)
        #expect(metadata.servers.map(\.description) == ["https://as1.example.com/", "https://as2.example.net/"])
        #expect(metadata.scopes == ["profile", "email", "phone"])
    }

    @Test("A service on this machine is not that of a resource elsewhere") func loopback() throws {
        let body = Self.example.replacing("https://as1.example.com", with: "http://127.0.0.1:8080")
        let url = try ServiceURL("https://resource.example.com/a")
        #expect(
            try ResourceMetadata(response(200, body), for: url).servers.map(\.description) == [
                "https://as2.example.net/"
            ]
        )
    }

    @Test("The document of another resource is refused (RFC 9728 section 3.3)") func otherResource() {
        for url in ["https://other.example.com/", "https://resource.example.com:8443/"] {
            #expect(throws: TokenServiceError.self) {
                try ResourceMetadata(response(200, Self.example), for: ServiceURL(url))
            }
        }
        let narrow = Self.example.replacing("https://resource.example.com\"", with: "https://resource.example.com/a\"")
        #expect(throws: TokenServiceError.self) {
            try ResourceMetadata(response(200, narrow), for: ServiceURL("https://resource.example.com/ab"))
        }
    }
}
