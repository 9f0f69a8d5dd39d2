import ClientCertificates
import LiveServers
import NIOCore
import NIOHTTP1
import OAuth
import Sallyport
import SallyportClient
import SallyportNIO
import Testing

/// A client that proves itself at the token endpoint by its certificate, and tokens that are bound to it (RFC 8705), at a service of Python's
/// ssl module.
@Suite(.inTurn, .serialized, .needs(.python))
struct LiveMutualTLSTests {
    private let server: MutualTLSServer
    private let sites: [String]

    init() throws {
        server = try MutualTLSServer()
        sites = try [server.tokenEndpoint, server.resource].map { "\(try ServiceURL($0).origin)" }
    }

    /// A client with a certificate of this name, by the authority that the service knows or another one; without a certificate for `nil`.
    private func tls(_ name: String?, of authority: TestAuthority? = nil) throws -> (TLSConnector, CurrentHandler) {
        let list = try SiteList(parsing: sites.joined(separator: "\n"), name: "mtls")
        let current = CurrentHandler(
            try ChallengeHandler(profile: SecurityProfile(sites: list, schemes: [.basic]), at: 0)
        )
        var settings = TLSSettings.patient
        settings.roots = .certificates([try server.root.own.der])
        guard let name else { return (try TLSConnector(settings, current), current) }
        let bytes = Array(try (authority ?? server.clients).client(name).pem.utf8)
        let identity = try KeyedIdentity(name: name, parsing: bytes.span)
        let connector = try TLSConnector(current, identities: [.init(identity, sites: sites)], settings: settings)
        return (connector, current)
    }

    private func source(_ connector: TLSConnector) throws -> OAuthTokenSource {
        let service = try TokenService.patient(tls: connector)
        let client = OAuthClient(
            id: "machine",
            authentication: .certificate,
            tokenEndpoint: try ServiceURL(server.tokenEndpoint)
        )
        return OAuthTokenSource("machine", client: client, grant: .clientCredentials) { try await service.send($0) }
    }

    private func status(
        _ source: any TokenSource,
        _ connector: TLSConnector,
        _ current: CurrentHandler
    ) async throws -> UInt {
        var place = AccountPlace(name: "machine", sites: [sites[1]])
        (place.tokens, place.sendsTokenFirst) = (source, true)
        let authenticator = try Authenticator(current, options: AuthenticatorOptions(places: [place]))
        let client = AuthenticatedClient(authenticator, settings: .patient, tls: connector)
        defer { client.shutDown() }
        let request = try ClientRequest(url: server.resource + "/items")
        let response = try await client.execute(request, deadline: .now() + .hours(1))
        _ = try await response.body.collect(upTo: 1_000)
        return response.status.code
    }

    private func control(_ page: String) async throws -> String {
        let list = try SiteList(parsing: "", name: "none")
        let handler = try ChallengeHandler(profile: SecurityProfile(sites: list, schemes: [.basic]), at: 0)
        let client = AuthenticatedClient(CurrentHandler(handler), settings: .patient)
        defer { client.shutDown() }
        let response = try await client.execute(ClientRequest(url: "\(server.control)/\(page)"))
        return String(buffer: try await response.body.collect(upTo: 1_000))
    }

    @Test("The certificate proves the client, and its token opens the resource on connections with it") func opens()
        async throws
    {
        let (connector, current) = try tls("machine")
        let source = try source(connector)
        for _ in 0..<2 { #expect(try await status(source, connector, current) == 200) }
        #expect(try await control("grants") == "1")
    }

    @Test("A stolen token is of no use with another certificate, or without one", arguments: ["other", nil])
    func stolen(thief: String?) async throws {
        let question = TokenQuestion(origin: try Origin(parsing: sites[1]))
        let token = try #require(try await source(tls("machine").0).token(for: question))
        let (connector, current) = try tls(thief)
        #expect(try await status(FixedTokenSource(token), connector, current) == 401)
        #expect(try await control("last") == "bound to another certificate than \(thief ?? "None")'s")
    }

    @Test("The certificate of another client is refused by the service") func otherClient() async throws {
        let question = TokenQuestion(origin: try Origin(parsing: sites[1]))
        do {
            _ = try await source(tls("other").0).token(for: question)
            Issue.record("it got a token")
        } catch TokenServiceError.refused(let refusal) {
            #expect(refusal.code == .invalidClient)
        }
        #expect(try await control("last") == "the certificate is that of other")
    }

    @Test("Without a certificate, and with one of another authority, the handshake ends", arguments: [true, false])
    func noCertificate(presents: Bool) async throws {
        let question = TokenQuestion(origin: try Origin(parsing: sites[1]))
        let connector = try tls(presents ? "machine" : nil, of: TestAuthority("Strangers")).0
        await #expect(throws: (any Error).self) { try await source(connector).token(for: question) }
        #expect(try await control("grants") == "0")
        // The service notes it after its alert has gone out.
        var why = ""
        try await eventually("the service has noted it") {
            why = try await control("last")
            return !why.isEmpty
        }
        #expect(why.contains(presents ? "CERTIFICATE_VERIFY_FAILED" : "PEER_DID_NOT_RETURN_A_CERTIFICATE"), "\(why)")
    }
}
