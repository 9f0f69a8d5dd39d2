import AllowedSites
import CredentialSources
import CredentialStores
import Foundation
import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import SallyportNIO
import Secrets
import Synchronization
import TestSupport
import Testing

/// The flows of PortedFlows.md over https at live servers. The one of URLSession is in ArticleSnippetTests.
@Suite(
    .inTurn,
    .serialized,
    .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP, .haproxy, .nginx, .openssl)
)
struct PortedFlowTests {
    private let root: TestAuthority

    init() throws { root = try TestAuthority("Root of the tests") }

    /// TLS in front of a server.
    private func secured(_ server: GuardedServer) async throws -> (HAProxyWithTLS, Origin) {
        let haproxy = try await HAProxyWithTLS(root.leaf("localhost"), server: server.address().port)
        return (haproxy, try Origin(parsing: "https://localhost:\(haproxy.port)"))
    }

    private func connector(_ current: CurrentHandler) throws -> TLSConnector {
        var settings = TLSSettings.patient
        settings.roots = .certificates([try root.own.der])
        return try TLSConnector(settings, current)
    }

    @Test("A repository's password is asked for once, and counts there alone", .row(26)) func repository() async throws
    {
        let server = try await GuardedServer.started(.apacheDigest)
        let (haproxy, origin) = try await secured(server)
        defer { withExtendedLifetime(haproxy) {} }
        let account = Account(name: "account", user: "jdoe", password: SharedSecret(utf8: GuardedServer.password))
        let enrolled = SecurityProfile(
            sites: try SiteList(parsing: "\(origin)", name: "test"),
            schemes: [.digest],
            accounts: [.init(account, sites: ["\(origin)"])]
        )
        let prompt = Prompt(user: "ada", password: "Other-Horse")
        let authenticator = try PortedFlows.withRepository(
            ChallengeHandler(profile: enrolled),
            repository: "\(origin)\(server.forbiddenPage)",
            prompt: prompt
        )
        let client = AuthenticatedClient(authenticator, tls: try connector(authenticator.current))
        defer { client.shutDown() }
        for target in [server.page(1), server.forbiddenPage, server.page(2), server.forbiddenPage, server.page(3)] {
            #expect(try await Self.status(client, origin, target) == 200, "\(target)")
        }
        #expect(prompt.questions.map(\.user) == ["jdoe"])
        #expect(prompt.questions.map(\.path) == [server.forbiddenPage])
        #expect(authenticator.accounts.map(\.user).sorted() == ["ada", "jdoe"])
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("After a revocation nginx refuses, and the new certificate works", .row(18)) func revoked() async throws {
        let (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients"))
        let nginx = try await NginxWithClients(
            root.leaf("localhost"),
            clients: clients.own.certificate,
            verify: "on",
            version: "TLSv1.3"
        )
        let origin = try Origin(parsing: "https://localhost:\(nginx.port)")
        let first = try clients.leaf("x.example", changes: .init(uses: nil, commonName: "first"))
        let renewed = Keyed(certificate: try clients.leaf("x.example", key: first.key), key: first.key)
        func identity(_ keyed: Keyed) throws -> SecurityProfile.Assignment<ClientIdentity> {
            .init(ClientIdentity(name: "laptop", certificateChain: [try keyed.der]), sites: ["\(origin)"])
        }
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "\(origin)", name: "test"),
            schemes: [.basic],
            identities: [try identity(first)]
        )
        let current = CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
        let fetched = Mutex(0)
        let new = try identity(renewed)
        let authenticator = try Authenticator(
            current,
            identities: {
                fetched.withLock { $0 += 1 }
                return [new]
            }
        )
        var tls = TLSSettings.patient
        tls.roots = .certificates([try root.own.der])
        tls.identityKeys = ["laptop": try first.source]
        let client = AuthenticatedClient(authenticator, tls: try TLSConnector(tls, current))
        defer { client.shutDown() }
        func page() async throws -> String {
            let response = try await PortedFlows.pageWithCertificate(
                ClientRequest(origin: origin, target: "/"),
                client,
                authenticator
            )
            return "\(response.status.code) \(String(buffer: try await response.body.collect(upTo: 1 << 16)))"
        }
        #expect(try await page().hasPrefix("200 SUCCESS CN=first TLSv1.3 "))
        try await nginx.revoke(first.certificate, by: clients.own)
        let refused = try await client.execute(ClientRequest(origin: origin, target: "/"), deadline: .now() + .hours(1))
        #expect(refused.status == .badRequest, "the list of nginx counts")
        #expect(fetched.withLock { $0 } == 0)
        #expect(try await page().hasPrefix("200 SUCCESS CN=Leaf TLSv1.3 "))
        #expect(try await page().hasPrefix("200 SUCCESS CN=Leaf TLSv1.3 "))
        #expect(fetched.withLock { $0 } == 1)
    }

    @Test("Signed in, restarted, still signed in, signed out, gone", .row(42, 47)) func restart() async throws {
        let server = try await GuardedServer.started(.apacheDigest)
        let (haproxy, origin) = try await secured(server)
        defer { withExtendedLifetime(haproxy) {} }
        let folder = TemporaryFolder.place("flows")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let profile = SecurityProfile(sites: try SiteList(parsing: "\(origin)", name: "test"), schemes: [.digest])
        let (store, keyFile) = (folder.appending(path: "store").path, folder.appending(path: "key").path)

        /// One run of the application: a profile without accounts, and the file.
        func run(_ prompt: Prompt, signingOut: Bool = false) async throws -> (status: Int, removed: Int) {
            let authenticator = try await PortedFlows.started(
                ChallengeHandler(profile: profile, at: 0),
                store: store,
                keyFile: keyFile,
                prompt: prompt
            )
            let client = AuthenticatedClient(authenticator, tls: try connector(authenticator.current))
            defer { client.shutDown() }
            let status = try await Self.status(client, origin, server.page(1))
            return (status, signingOut ? await PortedFlows.signOut(authenticator) : 0)
        }
        let person = Prompt(user: "jdoe", password: GuardedServer.password)
        #expect(try await run(person) == (200, 0))
        #expect(person.questions.count == 1, "the first start asks")
        #expect(try await run(person) == (200, 0))
        #expect(try await run(person, signingOut: true) == (200, 1))
        #expect(person.questions.count == 1, "the store has it after a restart")
        let silent = Prompt(user: "jdoe", password: nil)
        #expect(try await run(silent) == (401, 0))
        #expect(silent.questions.count == 1, "after the sign-out it is gone")
        #expect(try server.takeBadLogOns() == 0)
    }

    private static func status(_ client: AuthenticatedClient, _ origin: Origin, _ target: String) async throws -> Int {
        let request = ClientRequest(origin: origin, target: target)
        let response = try await client.execute(request, deadline: .now() + .hours(1))
        _ = try await response.body.collect(upTo: 1 << 20)
        return Int(response.status.code)
    }
}

/// A person who types one password, or none.
private final class Prompt: CredentialSource {
    private let user: String
    private let password: SharedSecret?
    private let asked = Mutex<[CredentialQuestion]>([])

    init(user: String, password: String?) {
        self.user = user
        self.password = password.map { SharedSecret(utf8: $0) }
    }

    var questions: [CredentialQuestion] { asked.withLock { $0 } }

    func reply(to question: CredentialQuestion) async -> CredentialReply {
        asked.withLock { $0.append(question) }
        guard let password else { return .nothing }
        return .use(SuppliedCredential(user: user, password: password, keep: .stored))
    }
}
