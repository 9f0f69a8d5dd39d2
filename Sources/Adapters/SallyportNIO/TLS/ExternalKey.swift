internal import Credentials
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// A key that signs elsewhere, in the form that NIOSSL asks for signatures. It is equal to itself only.
final class ExternalKey: NIOSSLCustomPrivateKey, Hashable, Sendable {
    /// The name of the client identity, for errors.
    private let identity: String
    private let key: any SigningKey
    let signatureAlgorithms: [SignatureAlgorithm]

    init(_ key: any SigningKey, of identity: String) {
        self.identity = identity
        self.key = key
        signatureAlgorithms = key.algorithms.map(SignatureAlgorithm.init)
    }

    /// Signs on a task that ends with the channel. Cancelled keys may go on; the channel does not wait for them.
    func sign(channel: any Channel, algorithm: SignatureAlgorithm, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        let promise = channel.eventLoop.makePromise(of: ByteBuffer.self)
        guard let known = SigningAlgorithm(rawValue: algorithm.rawValue), key.algorithms.contains(known) else {
            promise.fail(TLSError.cannotSign(identity: identity, reason: "the key does not sign with \(algorithm)"))
            return promise.futureResult
        }
        let signature = RunningSignature(promise)
        signature.start { [identity, key] in
            do {
                return .success(try await key.sign(Array(data.readableBytesView), with: known))
            } catch {
                return .failure(.cannotSign(identity: identity, reason: TLSError.reason(of: error)))
            }
        }
        let gone = TLSError.cannotSign(identity: identity, reason: "the connection was closed")
        channel.closeFuture.whenComplete { _ in signature.end(.failure(gone)) }
        return promise.futureResult
    }

    /// Clients never decrypt: RSA key exchange is for the keys of servers.
    func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        channel.eventLoop.makeFailedFuture(TLSError.cannotSign(identity: identity, reason: "the key does not decrypt"))
    }

    static func == (one: ExternalKey, other: ExternalKey) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension SignatureAlgorithm {
    /// Both types have the numbers of TLS.
    init(_ algorithm: SigningAlgorithm) { self.init(rawValue: algorithm.rawValue) }
}

/// One signature that a handshake waits for. The promise is completed once, by the key or by the end of the channel.
private final class RunningSignature: Sendable {
    private enum State {
        case notStarted
        case running(Task<Void, Never>)
        case ended
    }

    private let promise: EventLoopPromise<ByteBuffer>
    private let state = Mutex(State.notStarted)

    init(_ promise: EventLoopPromise<ByteBuffer>) { self.promise = promise }

    func start(_ body: @escaping @Sendable () async -> Result<[UInt8], TLSError>) {
        state.withLock { state in state = .running(Task { end(await body()) }) }
    }

    func end(_ result: Result<[UInt8], TLSError>) {
        let task: Task<Void, Never>? = state.withLock { state in
            guard case .running(let task) = state else { return nil }
            state = .ended
            return task
        }
        guard let task else { return }
        // The task itself calls this too, and has nothing more to do then.
        task.cancel()
        promise.completeWith(result.map { ByteBuffer(bytes: $0) }.mapError { $0 as any Error })
    }
}
