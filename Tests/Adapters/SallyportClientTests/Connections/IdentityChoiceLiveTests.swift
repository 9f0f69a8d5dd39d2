import ClientCertificates
import Credentials
import Foundation
import LiveServers
import NIOCore
import NIOHTTP1
import SPKIPins
import Sallyport
import SallyportClient
import SallyportNIO
import Synchronization
import TestSupport
import Testing
import X509

/// nginx, which is OpenSSL, asks for a certificate of one or two authorities; the client has an RSA and a P-256 identity.
@Suite(.inTurn, .serialized, .enabled(if: NginxWithClients.isInstalled, "needs nginx: .ci/install brings it"))
struct IdentityChoiceLiveTests {
    private let root: TestAuthority
    private let first: TestAuthority
    private let second: TestAuthority
    private let rsa: ClientPair
    private let p256: ClientPair
    private static let versions = ["TLSv1.2", "TLSv1.3"]

    init() throws {
        root = try TestAuthority("Root")
        (first, second) = (try TestAuthority("First"), try TestAuthority("Second"))
        (rsa, p256) = (try first.client("laptop rsa", .rsa), try second.client("laptop ec", .p256))
    }

    private func nginx(
        _ authorities: [TestAuthority],
        _ version: String = "TLSv1.3",
        verify: String = "on",
        options: [String] = []
    ) async throws -> NginxWithClients {
        try await NginxWithClients(
            root.leaf("localhost"),
            clients: authorities[0].own.certificate,
            verify: verify,
            version: version,
            others: authorities.dropFirst().map(\.own.certificate),
            options: options
        )
    }

    private struct World {
        let client: AuthenticatedClient
        let authenticator: Authenticator
        let origin: Origin

        func get() async throws -> (status: Int, text: String) {
            let response = try await client.execute(ClientRequest(origin: origin), deadline: .now() + .hours(1))
            return (Int(response.status.code), String(buffer: try await response.body.collect(upTo: 10_000)))
        }
    }

    private func world(
        _ nginx: NginxWithClients,
        _ pairs: [(String, ClientPair)],
        _ reply: Authenticator.IdentityChooser? = nil
    ) throws -> World {
        let origin = try Origin(parsing: "https://localhost:\(nginx.port)")
        let profile = SecurityProfile(sites: try SiteList(parsing: "\(origin)", name: "test"), schemes: [])
        let current = CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
        var settings = TLSSettings.patient
        settings.roots = .certificates([try root.own.der])
        let identities = try pairs.map { name, pair in
            SecurityProfile.Assignment(
                try KeyedIdentity(name: name, parsing: Array(pair.pem.utf8).span),
                sites: ["\(origin)"]
            )
        }
        let connector = try TLSConnector(current, identities: identities, settings: settings)
        let authenticator = try Authenticator(current, identityChoice: reply)
        return World(
            client: AuthenticatedClient(authenticator, settings: .patient, tls: connector),
            authenticator: authenticator,
            origin: origin
        )
    }

    private var both: [(String, ClientPair)] { [("rsa", rsa), ("ec", p256)] }

    @Test("Of two identities the accepted authority chooses, without a question", arguments: versions)
    func authority(version: String) async throws {
        for (authority, subject) in [(first, "CN=laptop rsa"), (second, "CN=laptop ec")] {
            let nginx = try await nginx([authority], version)
            let reply = try await world(nginx, both).get()
            #expect(reply.status == 200 && reply.text.contains("SUCCESS \(subject) \(version)"), "\(reply)")
        }
    }

    @Test("Of two identities the accepted signature algorithms choose", arguments: versions)
    func algorithms(version: String) async throws {
        for (algorithms, subject) in [("RSA-PSS+SHA256", "CN=laptop rsa"), ("ECDSA+SHA256", "CN=laptop ec")] {
            let nginx = try await nginx([first, second], version, options: ["ClientSignatureAlgorithms \(algorithms)"])
            let reply = try await world(nginx, both).get()
            #expect(reply.status == 200 && reply.text.contains("SUCCESS \(subject) \(version)"), "\(reply)")
        }
    }

    @Test(
        "Each suite of TLS 1.3 is opened, also after a HelloRetryRequest",
        arguments: ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"],
        ["X25519", "P-384"]
    )
    func suites(suite: String, group: String) async throws {
        let nginx = try await nginx([second], options: ["Ciphersuites \(suite)", "Groups \(group)"])
        let reply = try await world(nginx, both).get()
        #expect(reply.status == 200 && reply.text.contains("SUCCESS CN=laptop ec"), "\(reply)")
    }

    @Test("An authority that the server does not name gets no certificate to see", arguments: versions)
    func otherAuthority(version: String) async throws {
        let nginx = try await nginx([second], version, verify: "optional")
        let reply = try await world(nginx, [("rsa", rsa)]).get()
        #expect(reply.status == 200 && reply.text.hasPrefix("NONE "), "\(reply)")
    }

    /// How many requests have begun.
    private final class Begun: Sendable {
        let count = Atomic(0)
    }

    @Test("100 parallel requests bring one question; the reply counts until the sign-out", arguments: versions)
    func asked(version: String) async throws {
        let nginx = try await nginx([first, second], version)
        let questions = Mutex<[IdentityQuestion]>([])
        let requests = 100
        let begun = Begun()
        let world = try world(nginx, both) { question in
            questions.withLock { $0.append(question) }
            // The person takes so long that each request has begun.
            try await eventually("each request has begun") { begun.count.load(ordering: .relaxed) >= requests }
            return .use(identity: "ec")
        }
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for _ in 0..<requests {
                group.addTask {
                    begun.count.add(1, ordering: .relaxed)
                    return try await world.get()
                }
            }
            for try await (status, text) in group {
                #expect(status == 200 && text.contains("SUCCESS CN=laptop ec"), "\(text)")
            }
        }
        let asked = questions.withLock { $0 }
        #expect(asked.count == 1 && asked.first?.origin == world.origin)
        #expect(asked.first?.authorities == ["CN=First", "CN=Second"])
        #expect(asked.first?.candidates.map(\.subject) == ["CN=laptop rsa", "CN=laptop ec"])
        #expect(asked.first?.candidates.map(\.issuer) == ["CN=First", "CN=Second"])
        // Another profile does not change what a person has chosen.
        try world.authenticator.reload(world.authenticator.current.handler.compiled)
        #expect(try await world.get().status == 200)
        #expect(questions.withLock { $0.count } == 1)
        let report = await world.authenticator.signOut()
        #expect(report.chosenIdentities.map(\.identity) == ["ec"] && report.failures.isEmpty)
        #expect(try await world.get().status == 200)
        #expect(questions.withLock { $0.count } == 2)
    }

    @Test("A cancelled question ends the request, and the next request asks again") func cancelled() async throws {
        let nginx = try await nginx([first, second])
        let replies = Mutex([IdentityReply.cancel, .use(identity: "other"), .none])
        let world = try world(nginx, both) { _ in replies.withLock { $0.removeFirst() } }
        await #expect(throws: AuthenticatorError.cancelled) { try await world.get() }
        await #expect(throws: AuthenticatorError.unknownIdentity("other")) { try await world.get() }
        // None is a reply that counts: nginx gets no certificate.
        for _ in 0..<2 {
            let reply = try await world.get()
            #expect(reply.status == 400 && reply.text.contains("No required SSL certificate"), "\(reply)")
        }
    }

    @Test("A request that is cancelled while a person thinks ends at once, and holds no connection")
    func cancelledRequest() async throws {
        let nginx = try await nginx([first, second])
        let asked = AsyncStream.makeStream(of: Void.self)
        let world = try world(nginx, both) { _ in
            asked.continuation.yield()
            try await Task.sleep(for: .seconds(3_600))
            return .none
        }
        let request = Task { try await world.get() }
        for await _ in asked.stream { break }
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
    }

    @Test("Without a source that asks, the error names the identities, and no request goes out") func undecided()
        async throws
    {
        let nginx = try await nginx([first, second])
        let world = try world(nginx, both)
        let error = await #expect(throws: TLSError.self) { try await world.get() }
        #expect(error?.description.contains("'rsa', 'ec'") == true, "\(String(describing: error))")
    }

    @Test("An expired identity is not presented; the valid one is, without a question", arguments: versions)
    func expired(version: String) async throws {
        let old = try first.client("laptop old", .p256, begin: Date() - 7_200, end: Date() - 3_600)
        let nginx = try await nginx([first, second], version)
        let alone = try await world(nginx, [("old", old)]).get()
        #expect(alone.status == 400 && alone.text.contains("No required SSL certificate"), "\(alone)")
        let reply = try await world(nginx, [("old", old), ("ec", p256)]).get()
        #expect(reply.text.contains("SUCCESS CN=laptop ec"), "\(reply)")
    }

    @Test("Row 69: a renewed file is presented on new connections, and the old ones are closed", arguments: versions)
    func renewed(version: String) async throws {
        let folder = TemporaryFolder.place("renewed")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "laptop.pem")
        func write(_ pair: ClientPair) throws {
            try Data(pair.pem.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
        try write(p256)
        let nginx = try await nginx([second], version)
        let origin = try Origin(parsing: "https://localhost:\(nginx.port)")
        let watch = try await IdentityWatch(
            [IdentityPlace(name: "laptop", files: .one(file.path), sites: ["\(origin)"])],
            options: IdentityWatchOptions(interval: .milliseconds(20), margins: [])
        )
        let profile = SecurityProfile(sites: try SiteList(parsing: "\(origin)", name: "test"), schemes: [])
        let current = CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
        let authenticator = try Authenticator(current, identities: watch.source)
        try await authenticator.fetchNewCertificates()
        var settings = TLSSettings.patient
        settings.roots = .certificates([try root.own.der])
        settings.identities = watch.ring
        let client = AuthenticatedClient(authenticator, settings: .patient, tls: try TLSConnector(settings, current))
        let world = World(client: client, authenticator: authenticator, origin: origin)
        let (events, continuation) = AsyncStream.makeStream(of: IdentityEvent.self)
        let running = Task { try await watch.run(authenticator) { continuation.yield($0) } }
        defer { running.cancel() }

        /// The serial number and the connection that nginx saw.
        func seen() async throws -> (serial: String, connection: String) {
            let words = try await world.get().text.split(separator: " ").map(String.init)
            return (try #require(words.dropLast().last), try #require(words.last))
        }
        // Once the watch has put its identities in, which closes a connection, requests share one.
        var (first, next) = (try await seen(), try await seen())
        for _ in 0..<10 where next != first { (first, next) = (next, try await seen()) }
        #expect(first.serial == p256.serial && next == first)
        let renewed = try second.client("laptop ec", .p256)
        try write(renewed)
        for await event in events { if case .renewed = event { break } }
        let after = try await seen()
        #expect(after.serial == renewed.serial && after.connection != first.connection)
    }
}

/// Connections that a request uses when all become outdated.
@Suite(.inTurn) struct OutdatedConnectionTests {
    @Test("A connection in use is closed after its request, and carries no other one") func inUse() async throws {
        let client = Mutex<AuthenticatedClient?>(nil)
        let server = try await ScriptedServer { request in
            if request.target == "/change" { client.withLock { $0?.closeIdleConnections() } }
            return .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { server.stop() }
        let profile = SecurityProfile(sites: try SiteList(parsing: "\(server.origin)", name: "test"), schemes: [])
        let made = AuthenticatedClient(
            CurrentHandler(try ChallengeHandler(profile: profile, at: 0)),
            settings: .patient
        )
        client.withLock { $0 = made }
        for target in ["/", "/", "/change", "/", "/"] {
            let response = try await made.execute(ClientRequest(origin: server.origin, target: target))
            _ = try await response.body.collect(upTo: 10)
        }
        #expect(server.requests.map(\.connection) == [0, 0, 0, 1, 1])
        client.withLock { $0 = nil }
    }
}
