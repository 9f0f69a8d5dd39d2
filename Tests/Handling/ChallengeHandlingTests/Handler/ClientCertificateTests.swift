import Corpora
import Credentials
import Hostnames
import SPKIPins
import Sallyport
import TestSupport
import Testing

@Suite struct ClientCertificateTests {
    let handler: ChallengeHandler
    let identity: ClientIdentity
    /// The DER Name that issued the identity's leaf, as a recorded server asked for it.
    let authority: [UInt8]

    init() throws {
        let recording = try RecordedChain.recording.get()
        let presented = recording.events.lazy.compactMap { event -> String? in
            guard case .handshake(let handshake) = event.content else { return nil }
            return handshake.clientCertificate
        }.first
        let leaf = try #require(presented.flatMap { recording.certificates[$0] })
        identity = ClientIdentity(name: "laptop", certificateChain: [leaf])
        authority = Array(leaf[try CertificateWalk(of: leaf.span).issuer])
        var profile = try TestProfile.make()
        profile.identities = [.init(identity, sites: ["vpn.acme.example"])]
        handler = try ChallengeHandler(still: profile)
    }

    func decide(_ origin: String, _ authorities: [[UInt8]]) throws -> IdentityDecision {
        handler.identity(for: try Origin(parsing: origin), authorities: authorities)
    }

    @Test func theIdentityOfTheSiteIsPresented() throws {
        #expect(try decide("https://vpn.acme.example", [authority]) == .present(identity))
        #expect(try decide("https://vpn.acme.example", [[0x30, 0x00], authority]) == .present(identity))
        #expect(try decide("https://vpn.acme.example", []) == .present(identity))
    }

    @Test("A question about a certificate is judged without a path, because the handshake comes before any")
    func pathOfQuestion() throws {
        var profile = try TestProfile.make()
        profile.identities = [.init(identity, sites: ["vpn.acme.example"])]
        profile.sites = try .init(parsing: "vpn.acme.example\n!vpn.acme.example/private", name: "test")
        let handler = try ChallengeHandler(still: profile)
        let origin = try Origin(parsing: "https://vpn.acme.example")
        let space = ProtectionSpace(origin: origin, path: "/private/a", kind: .clientCertificate)
        #expect(handler.canHandle(space) == .yes)
        #expect(handler.identity(for: origin, authorities: []) == .present(identity))
    }

    @Test func anIssuerThatTheServerDoesNotNameIsNotPresented() throws {
        let decision = try decide("https://vpn.acme.example", [[0x30, 0x00]])
        #expect(decision == .withhold(.issuerNotAccepted(identity: "laptop")))
    }

    @Test func otherSitesGetNone() throws {
        #expect(try decide("https://wiki.acme.example", [authority]) == .withhold(.noCredential))
        guard case .withhold(.siteNotAllowed) = try decide("https://partner.example", [authority]) else {
            Issue.record("a site outside the list learns who the client is")
            return
        }
    }

    @Test(.row(20)) func anUnreadableCertificateIsAProfileError() throws {
        var profile = try TestProfile.make()
        let broken = ClientIdentity(name: "broken", certificateChain: [[0x30, 0x80]])
        profile.identities = [.init(broken, sites: ["vpn.acme.example"])]
        let error = #expect(throws: ProfileError.self) { try ChallengeHandler(still: profile) }
        #expect(error?.description.contains("'broken'") == true)
    }
}
