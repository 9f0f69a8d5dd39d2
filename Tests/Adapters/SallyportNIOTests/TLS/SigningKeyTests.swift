import Credentials
import Crypto
import Foundation
import LiveServers
import NIOCore
import NIOPosix
import NIOSSL
import Sallyport
import SallyportNIO
import Synchronization
import Testing
import X509

/// Keys of an application that sign outside of BoringSSL.
@Suite(.inTurn) struct SigningKeyTests {
    private var world: TLSWorld
    private let clients: TestAuthority
    private let laptop: Keyed
    private let leaf: Keyed
    private static let both = [TLSVersion.tlsv12, .tlsv13]

    init() throws {
        world = try TLSWorld()
        clients = try TestAuthority("Clients")
        laptop = try clients.leaf("x.example", changes: .init(uses: [.clientAuth], commonName: "laptop 7"))
        leaf = try world.root.leaf("wiki.example")
        let identity = ClientIdentity(name: "laptop", certificateChain: [try laptop.der])
        world.identities = [.init(identity, sites: ["wiki.example"])]
    }

    private func server(_ version: TLSVersion) async throws -> TLSTestServer {
        try await .start(leaf, maximum: version, clients: .required([clients.own.certificate]))
    }

    private func visit(_ key: any SigningKey, _ version: TLSVersion) async throws -> Exchange {
        var world = world
        world.settings.signingKeys = ["laptop": key]
        return try await world.visit(server(version))
    }

    @Test("BoringSSL as a server verifies the signature", arguments: both)
    func verified(version: TLSVersion) async throws {
        var world = world
        let key = ApplicationKey(laptop.key)
        world.settings.signingKeys = ["laptop": key]
        let server = try await server(version)
        let exchange = try await world.visit(server)
        #expect(exchange.answer == "ok", "\(exchange.errors)")
        #expect(await server.next().client == (try laptop.der))
        #expect(key.calls == [.ecdsaP256SHA256])
    }

    @Test(
        "nginx with OpenSSL verifies the signature",
        .enabled(if: NginxWithClients.isInstalled, "needs nginx: .ci/install brings it"),
        arguments: ["TLSv1.2", "TLSv1.3"]
    )
    func nginx(version: String) async throws {
        var world = world
        world.settings.signingKeys = ["laptop": ApplicationKey(laptop.key)]
        let nginx = try await NginxWithClients(leaf, clients: clients.own.certificate, version: version)
        let exchange = try await TLSTestClient.exchange(
            world.connector(),
            TLSWorld.wiki,
            port: nginx.port,
            request: "GET / HTTP/1.1\r\nHost: wiki.example\r\nConnection: close\r\n\r\n"
        )
        #expect(exchange.answer.contains("SUCCESS CN=laptop 7 \(version)"), "\(exchange.errors)")
    }

    @Test("One key signs for connections that begin at the same time")
    func parallel() async throws {
        var world = world
        let key = ApplicationKey(laptop.key, after: .milliseconds(20))
        world.settings.signingKeys = ["laptop": key]
        let (connector, server) = (try world.connector(), try await server(.tlsv13))
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 {
                group.addTask { try await TLSTestClient.exchange(connector, TLSWorld.wiki, port: server.port).answer }
            }
            for try await answer in group { #expect(answer == "ok") }
        }
        #expect(key.calls.count == 16)
    }

    @Test("The error of a key is the error of the handshake, on one line and bounded", arguments: both)
    func fails(version: TLSVersion) async throws {
        let key = ApplicationKey(laptop.key) { _ in throw Failure() }
        let exchange = try await visit(key, version)
        // NIOSSL tells of the end of the handshake after the error of the key; the pipeline sees one of them.
        guard case .cannotSign("laptop", let reason)? = exchange.error else {
            Issue.record("\(exchange.errors)")
            return
        }
        #expect(reason.hasPrefix("reader 1: no card\\n"))
        #expect(reason.unicodeScalars.count < 260)
    }

    @Test("A wrong signature is refused by the server", arguments: both)
    func wrongSignature(version: TLSVersion) async throws {
        let other = P256.Signing.PrivateKey()
        let key = ApplicationKey(laptop.key) { Array(try other.signature(for: $0).derRepresentation) }
        let exchange = try await visit(key, version)
        #expect(exchange.answer.isEmpty && exchange.errors.count == 1, "\(exchange.errors)")
    }

    @Test("A signature that is too long for BoringSSL is an error", arguments: both)
    func tooLong(version: TLSVersion) async throws {
        let exchange = try await visit(
            ApplicationKey(laptop.key) { _ in [UInt8](repeating: 0x30, count: 100_000) },
            version
        )
        #expect(exchange.answer.isEmpty && exchange.errors.count == 1, "\(exchange.errors)")
    }

    @Test("A key that does not answer is bounded by the limit of the handshake, and is cancelled", arguments: both)
    func stalls(version: TLSVersion) async throws {
        let key = StallingKey(publicKeyInfo: Array(laptop.key.publicKey.derRepresentation))
        var world = world
        world.settings.signingKeys = ["laptop": key]
        world.settings.handshakeLimit = .seconds(1)
        let exchange = try await world.visit(server(version))
        #expect(exchange.error == .handshakeTimedOut(try TLSWorld.wiki, limit: .seconds(1)))
        // On a machine with much to do the limit may be over before the key is asked.
        if key.hasStarted { #expect(await key.cancelled()) }
    }

    @Test("A caller that is cancelled cancels the signature and closes the connection")
    func cancelled() async throws {
        let key = StallingKey(publicKeyInfo: Array(laptop.key.publicKey.derRepresentation))
        var world = world
        world.settings.signingKeys = ["laptop": key]
        let (connector, server) = (try world.connector(), try await server(.tlsv13))
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.hours(1))
            .connect(host: "127.0.0.1", port: server.port).get()
        let task = Task { try await connector.secure(channel, to: TLSWorld.wiki) }
        await key.started()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await key.cancelled())
        try await channel.closeFuture.get()
        #expect(await server.next().client == nil)
    }

    @Test("A key that does not hear of cancellation holds up no one")
    func deaf() async throws {
        let key = DeafKey(publicKeyInfo: Array(laptop.key.publicKey.derRepresentation))
        var world = world
        world.settings.signingKeys = ["laptop": key]
        world.settings.handshakeLimit = .seconds(1)
        let exchange = try await world.visit(server(.tlsv13))
        #expect(exchange.error == .handshakeTimedOut(try TLSWorld.wiki, limit: .seconds(1)))
        // The late signature finds no connection.
        key.answer()
    }

    @Test("A key of another certificate, no algorithm, and two keys for one name are errors at once")
    func wrongSettings() throws {
        var world = world
        world.settings.signingKeys = ["laptop": ApplicationKey(leaf.key)]
        #expect(throws: TLSError.unusableIdentity("laptop")) { try world.connector() }
        world.settings.signingKeys = ["laptop": ApplicationKey(laptop.key, algorithms: [])]
        #expect(throws: TLSError.unusableIdentity("laptop")) { try world.connector() }
        world.settings.signingKeys = ["laptop": ApplicationKey(laptop.key)]
        world.settings.identityKeys = ["laptop": try laptop.source]
        #expect(throws: TLSError.twoKeys(identity: "laptop")) { try world.connector() }
    }

    @Test("A key without the algorithm of its curve signs nothing, and the error says why", arguments: both)
    func noCommonAlgorithm(version: TLSVersion) async throws {
        let key = ApplicationKey(laptop.key, algorithms: [.rsaPSSSHA256])
        let exchange = try await visit(key, version)
        guard case .handshakeFailed(_, let reason)? = exchange.error else {
            Issue.record("\(exchange.errors)")
            return
        }
        #expect(reason.contains("no algorithm"))
        #expect(key.calls.isEmpty)
    }
}

private struct Failure: Error, CustomStringConvertible {
    let description = "reader 1: no card\n" + String(repeating: "x", count: 1000)
}

/// A key of an application, in memory.
private final class ApplicationKey: SigningKey {
    let publicKeyInfo: [UInt8]
    let algorithms: [SigningAlgorithm]
    private let delay: Duration
    private let body: @Sendable ([UInt8]) throws -> [UInt8]
    private let seen = Mutex<[SigningAlgorithm]>([])

    var calls: [SigningAlgorithm] { seen.withLock { $0 } }

    init(
        _ key: P256.Signing.PrivateKey,
        algorithms: [SigningAlgorithm] = [.ecdsaP256SHA256],
        after delay: Duration = .zero,
        _ body: (@Sendable ([UInt8]) throws -> [UInt8])? = nil
    ) {
        publicKeyInfo = Array(key.publicKey.derRepresentation)
        self.algorithms = algorithms
        self.delay = delay
        self.body = body ?? { Array(try key.signature(for: $0).derRepresentation) }
    }

    func sign(_ message: [UInt8], with algorithm: SigningAlgorithm) async throws -> [UInt8] {
        seen.withLock { $0.append(algorithm) }
        try await Task.sleep(for: delay)
        return try body(message)
    }
}

/// A key that waits until its task is cancelled.
private final class StallingKey: SigningKey {
    let publicKeyInfo: [UInt8]
    let algorithms = [SigningAlgorithm.ecdsaP256SHA256]
    private let isCalled = Mutex(false)
    private let begun = AsyncStream.makeStream(of: Void.self)
    private let ended = AsyncStream.makeStream(of: Bool.self)

    init(publicKeyInfo: [UInt8]) { self.publicKeyInfo = publicKeyInfo }

    var hasStarted: Bool { isCalled.withLock { $0 } }
    func started() async { for await _ in begun.stream { return } }

    func cancelled() async -> Bool {
        for await isCancelled in ended.stream { return isCancelled }
        return false
    }

    func sign(_ message: [UInt8], with algorithm: SigningAlgorithm) async throws -> [UInt8] {
        isCalled.withLock { $0 = true }
        begun.continuation.yield()
        defer { ended.continuation.yield(Task.isCancelled) }
        try await Task.sleep(for: .seconds(3600))
        return []
    }
}

/// A key that answers when the test says so, whatever happens to its task.
private final class DeafKey: SigningKey {
    let publicKeyInfo: [UInt8]
    let algorithms = [SigningAlgorithm.ecdsaP256SHA256]
    private let waiting = Mutex<CheckedContinuation<[UInt8], any Error>?>(nil)

    init(publicKeyInfo: [UInt8]) { self.publicKeyInfo = publicKeyInfo }

    func answer() { waiting.withLock { $0.take() }?.resume(returning: [1, 2, 3]) }

    func sign(_ message: [UInt8], with algorithm: SigningAlgorithm) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in waiting.withLock { $0 = continuation } }
    }
}
