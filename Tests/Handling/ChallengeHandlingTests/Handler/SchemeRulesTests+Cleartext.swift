import HTTPAuthentication
import Hostnames
import Sallyport
import Testing

/// Where a scheme may go that shows the secret to everyone on the path.
extension SchemeRulesTests {
    @Test("Basic over plain http needs an opt-in; Digest and Basic over https do not") func cleartext() throws {
        let proxy = ChallengedRequest(
            proxy: try Origin(parsing: "http://proxy.acme.example:3128"),
            method: "CONNECT",
            target: "elsewhere.example:443"
        )
        let strict = try handler()
        #expect(decide(strict, proxy, ["Basic realm=x"]) == .withhold(.cleartext(account: "jdoe", .basic)))
        #expect(decide(strict, proxy, ["Basic realm=x", Self.digest]).answer?.value.text.hasPrefix("Digest ") == true)
        let open = try handler { $0.allowsCleartext = true }
        #expect(decide(open, proxy, ["Basic realm=x"]).answer?.value.text.hasPrefix("Basic ") == true)
        #expect(try wiki(handler(), "Basic realm=x").answer != nil)
        let space = ProtectionSpace(origin: proxy.origin, kind: .http(schemes: [.basic], party: .proxy))
        #expect(strict.canHandle(space) == .no(.cleartext(account: "jdoe", .basic)))
        #expect(open.canHandle(space) == .yes)
    }

    @Test("A connection without TLS gets no Basic, though the origin is https") func cleartextConnection() throws {
        let withoutTLS = ConnectionTraits(security: ConnectionTraits.Security.none)
        let refused = try wiki(handler(), "Basic realm=x", on: withoutTLS)
        #expect(refused == .withhold(.cleartext(account: "jdoe", .basic)))
        #expect(try wiki(handler(), Self.digest, on: withoutTLS).answer != nil)
        #expect(try wiki(handler(), "Basic realm=x", on: ConnectionTraits(security: .unknownLeaf)).answer != nil)
        #expect(try wiki(handler { $0.allowsCleartext = true }, "Basic realm=x", on: withoutTLS).answer != nil)
    }
}
