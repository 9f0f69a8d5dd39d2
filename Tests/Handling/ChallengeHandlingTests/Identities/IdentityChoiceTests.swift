import Foundation
import LiveServers
import SPKIPins
import Sallyport
import Testing
import X509

/// The choice as a function: candidates, what the server accepts, and the time.
@Suite struct IdentityChoiceTests {
    private let first: TestAuthority
    private let second: TestAuthority
    private let rsa: IdentityCandidate
    private let p256: IdentityCandidate
    private let p384: IdentityCandidate
    private static let now = Int64(Date().timeIntervalSince1970)

    init() throws {
        (first, second) = (try TestAuthority("First"), try TestAuthority("Second"))
        rsa = try Self.candidate("rsa", first.client("rsa", .rsa))
        p256 = try Self.candidate("p256", second.client("p256", .p256))
        p384 = try Self.candidate("p384", second.client("p384", .p384))
    }

    private static func candidate(_ name: String, _ pair: ClientPair) throws -> IdentityCandidate {
        try IdentityCandidate(ClientIdentity(name: name, certificateChain: [pair.der]))
    }

    /// The Name of an authority, from the certificate that it signs itself.
    private func name(_ authority: TestAuthority) throws -> [UInt8] {
        let der = try authority.own.der
        return Array(der[try CertificateWalk(of: der.span).subject])
    }

    private func names(_ candidates: [IdentityCandidate], _ request: CertificateRequest) -> Set<String> {
        switch IdentityChoice(among: candidates, for: request, at: Self.now) {
        case .one(let identity): [identity.name]
        case .several(let candidates): Set(candidates.map(\.identity.name))
        case .none: []
        }
    }

    @Test("The accepted authorities leave those whose chain has one of them") func authorities() throws {
        let all = [rsa, p256, p384]
        #expect(names(all, .unknown) == ["rsa", "p256", "p384"])
        #expect(names(all, CertificateRequest(authorities: [try name(first)])) == ["rsa"])
        #expect(names(all, CertificateRequest(authorities: [try name(second)])) == ["p256", "p384"])
        #expect(names(all, CertificateRequest(authorities: [try name(first), try name(second)])).count == 3)
        let other = CertificateRequest(authorities: [try name(TestAuthority("Third"))])
        #expect(names(all, other).isEmpty)
        #expect(IdentityChoice(among: [rsa], for: other, at: nil) == .none(.issuerNotAccepted(identity: "rsa")))
    }

    /// RFC 8446 section 4.2.3 and RFC 5246 section 7.4.1.4.1.
    @Test(
        "The signature algorithms leave the keys that make them",
        arguments: [
            (CertificateRequest.Version.tls13, [0x0403], ["p256"]), (.tls13, [0x0503], ["p384"]),
            (.tls13, [0x0804], ["rsa"]), (.tls13, [0x0401, 0x0501, 0x0601], []), (.tls13, [0x0603], []),
            (.tls13, [0x0203, 0x0201], []), (.tls13, [0x0806, 0x0403], ["rsa", "p256"]),
            (.tls12, [0x0403], ["p256", "p384"]), (.tls12, [0x0401], ["rsa"]), (.tls12, [0x0804], ["rsa"]),
            (.tls12, [0x0201], ["rsa"]), (.tls12, [0x0807, 0x0402], []),
        ] as [(CertificateRequest.Version, [UInt16], Set<String>)]
    )
    func algorithms(version: CertificateRequest.Version, schemes: [UInt16], expected: Set<String>) {
        let request = CertificateRequest(version: version, signatureSchemes: schemes)
        #expect(names([rsa, p256, p384], request) == expected)
    }

    @Test("TLS 1.2 names kinds of certificates: 1 is RSA, 64 is ECDSA") func types() {
        func request(_ types: [UInt8]) -> CertificateRequest {
            CertificateRequest(version: .tls12, signatureSchemes: [0x0401, 0x0403], certificateTypes: types)
        }
        #expect(names([rsa, p256], request([1])) == ["rsa"])
        #expect(names([rsa, p256], request([64])) == ["p256"])
        #expect(names([rsa, p256], request([1, 2, 64])) == ["rsa", "p256"])
        #expect(names([rsa, p256], request([2])) == [])
    }

    @Test("A certificate for servers, or one whose key must not sign, is not for clients") func uses() throws {
        func fits(_ purposes: [ExtendedKeyUsage.Usage]?, _ usage: KeyUsage?) throws -> Bool {
            let candidate = try Self.candidate("x", first.client("x", purposes: purposes, usage: usage))
            return !names([candidate], .unknown).isEmpty
        }
        #expect(try fits(nil, nil))
        #expect(try fits([.clientAuth], KeyUsage(digitalSignature: true)))
        #expect(try fits([.serverAuth, .clientAuth], nil))
        #expect(try fits([.any], nil))
        #expect(try !fits([.serverAuth], nil))
        #expect(try !fits([.codeSigning, .emailProtection], nil))
        #expect(try !fits([.clientAuth], KeyUsage(keyEncipherment: true, keyCertSign: true)))
        #expect(try fits(nil, KeyUsage(digitalSignature: true, decipherOnly: true)))
        #expect(try !fits(nil, KeyUsage(decipherOnly: true)))
    }

    @Test("The time counts to the second, and an expired identity says so also beside others") func times() throws {
        let candidate = try Self.candidate(
            "old",
            first.client("old", begin: Date(timeIntervalSince1970: 1_000), end: Date(timeIntervalSince1970: 2_000))
        )
        func choice(_ now: Int64?) -> IdentityChoice { IdentityChoice(among: [candidate], for: .unknown, at: now) }
        #expect(choice(999) == .none(.identityNotYetValid(identity: "old", from: 1_000)))
        #expect(choice(1_000) == .one(candidate.identity) && choice(2_000) == .one(candidate.identity))
        #expect(choice(2_001) == .none(.identityExpired(identity: "old", since: 2_000)))
        #expect(choice(nil) == .one(candidate.identity))
        let server = try Self.candidate("server", first.client("server", purposes: [.serverAuth]))
        #expect(
            IdentityChoice(among: [candidate, server], for: .unknown, at: 3_000)
                == .none(.identityExpired(identity: "old", since: 2_000))
        )
        #expect(IdentityChoice(among: [candidate, rsa], for: .unknown, at: Self.now) == .one(rsa.identity))
        #expect(IdentityChoice(among: [], for: .unknown, at: 0) == .none(.noCredential))
    }

    // MARK: - The profile

    private func handler(_ chosen: [ChosenIdentity] = []) throws -> ChallengeHandler {
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "*.acme.example", name: "test"),
            schemes: [],
            identities: [
                .init(rsa.identity, sites: ["*.acme.example"]),
                .init(p256.identity, sites: ["*.acme.example", "wiki.acme.example"]),
                .init(p384.identity, sites: ["https://wiki.acme.example"]),
            ],
            chosenIdentities: chosen
        )
        return try ChallengeHandler(profile: profile, at: 0)
    }

    private func names(_ handler: ChallengeHandler, _ origin: String) throws -> IdentityChoice {
        handler.identityChoice(for: try Origin(parsing: origin), .unknown, at: Self.now)
    }

    @Test("Identities with one rule are candidates together; a narrower rule leaves the others out") func sites() throws
    {
        let handler = try handler()
        #expect(try names(handler, "https://a.acme.example") == .several([rsa, p256]))
        #expect(try names(handler, "https://wiki.acme.example") == .several([p256, p384]))
        #expect(try names(handler, "https://partner.example") != .none(.noCredential))
        let refusal = Refusal.severalIdentities(["rsa", "p256"])
        #expect(
            handler.identity(for: try Origin(parsing: "https://a.acme.example"), authorities: []) == .withhold(refusal)
        )
    }

    @Test("A choice counts for its host; one that does not fit is not replaced by another identity") func chosen()
        throws
    {
        let host = try Hostname(parsing: "a.acme.example")
        let handler = try handler([ChosenIdentity(host: host, identity: "rsa")])
        #expect(try names(handler, "https://a.acme.example") == .one(rsa.identity))
        #expect(try names(handler, "https://a.acme.example:8443") != .several([rsa, p256]))
        #expect(try names(handler, "https://b.acme.example") == .several([rsa, p256]))
        let ecdsa = CertificateRequest(version: .tls13, signatureSchemes: [0x0403])
        let choice = handler.identityChoice(for: try Origin(parsing: "https://a.acme.example"), ecdsa, at: Self.now)
        #expect(choice == .none(.keyNotAccepted(identity: "rsa")))
        let none = try self.handler([ChosenIdentity(host: host, identity: nil)])
        #expect(try names(none, "https://a.acme.example") == .none(.identityDeclined))
        // A name that the profile does not have any more decides nothing.
        let gone = try self.handler([ChosenIdentity(host: host, identity: "gone")])
        #expect(try names(gone, "https://a.acme.example") == .several([rsa, p256]))
    }

    @Test("One identity with one rule twice is an error") func twice() throws {
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "*.acme.example", name: "test"),
            schemes: [],
            identities: [.init(rsa.identity, sites: ["a.acme.example", "https://a.acme.example"])]
        )
        #expect(throws: ProfileError.self) { try ChallengeHandler(profile: profile, at: 0) }
    }
}
