package import Corpora
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS

/// Asks servers for the chains that they present, over TLS, and sends nothing else.
///
/// Any chain is taken, trusted or not: what to think of it is the validator's business. No secret is sent, so a stranger on
/// the way learns the host's name at most. BoringSSL refuses a Certificate message of more than 100 KiB.
package struct ChainCapture: Sendable {
    /// The longest that one capture may be made to take.
    package static let longestMilliseconds: Int64 = 600_000

    /// All that BoringSSL verifies, by which a server chooses among its certificates.
    private static let algorithms: [SignatureAlgorithm] = [
        .ecdsaSecp256R1Sha256, .rsaPssRsaeSha256, .rsaPkcs1Sha256, .ecdsaSecp384R1Sha384, .rsaPssRsaeSha384,
        .rsaPkcs1Sha384, .rsaPssRsaeSha512, .rsaPkcs1Sha512, .ecdsaSecp521R1Sha512, .ed25519, .rsaPkcs1Sha1, .ecdsaSha1,
    ]

    private let context: NIOSSLContext
    private let milliseconds: Int64

    /// - Parameter milliseconds: for one capture, from the name's look-up to the last certificate.
    package init(milliseconds: Int64 = 10_000) throws {
        self.milliseconds = min(max(milliseconds, 1), Self.longestMilliseconds)
        var configuration = TLSConfiguration.makeClientConfiguration()
        // No application data is sent, so old protocol versions are allowed; the callback below replaces the check of roots.
        configuration.minimumTLSVersion = .tlsv1
        configuration.trustRoots = .certificates([])
        // The library's defaults leave out P-521, and Ed25519, which it can verify. A server of TLS 1.2 shows a P-521 key only to
        // clients that know the curve.
        configuration.verifySignatureAlgorithms = Self.algorithms
        configuration.curves = [.x25519_MLKEM768, .x25519, .secp256r1, .secp384r1, .secp521r1]
        context = try NIOSSLContext(configuration: configuration)
    }

    /// The chain that a server presents, in DER, the leaf first.
    ///
    /// - Parameter address: where to connect instead of looking the host's name up.
    package func presentedChain(
        of endpoint: RecordedEndpoint,
        address: String? = nil
    ) async throws(CaptureError) -> [[UInt8]] {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let outcome = eventLoop.makePromise(of: [[UInt8]].self)
        let limit = TimeAmount.milliseconds(milliseconds)
        let timer = eventLoop.scheduleTask(in: limit) {
            outcome.fail(CaptureError.timedOut(milliseconds: milliseconds))
        }
        let isAddress = endpoint.host.contains(":") || endpoint.host.utf8.allSatisfy { $0 == 0x2E || $0 < 0x3A }
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let collector = ChainCollector(outcome: outcome)
                    let handler = try NIOSSLClientHandler(
                        context: context,
                        serverHostname: isAddress ? nil : endpoint.host,
                        customVerificationCallback: { certificates, promise in
                            collector.chain = certificates.map { try? $0.toDERBytes() }
                            promise.succeed(.certificateVerified)
                        }
                    )
                    try channel.pipeline.syncOperations.addHandlers(handler, collector)
                }
            }
        let connected = bootstrap.connect(host: address ?? endpoint.host, port: endpoint.port)
        connected.whenComplete { result in
            switch result {
            case .failure(let error): outcome.fail(CaptureError(connecting: error))
            // Whatever the outcome, the connection has served.
            case .success(let channel): outcome.futureResult.whenComplete { _ in channel.close(promise: nil) }
            }
        }
        defer { timer.cancel() }
        let chain: [[UInt8]]
        do {
            chain = try await outcome.futureResult.get()
        } catch let error as CaptureError {
            throw error
        } catch {
            throw CaptureError(handshake: error)
        }
        guard chain.count <= ChainRecording.Limits.chain else {
            throw .tooManyCertificates(count: chain.count, limit: ChainRecording.Limits.chain)
        }
        return chain
    }
}

/// Waits for the end of the handshake.
private final class ChainCollector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    var chain: [[UInt8]?] = []
    private let outcome: EventLoopPromise<[[UInt8]]>

    init(outcome: EventLoopPromise<[[UInt8]]>) { self.outcome = outcome }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent {
            finish(.handshakeFailed("the server sent no certificate"))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A server that wants a certificate of ours breaks off after its own chain came: that chain was presented.
        finish(CaptureError(handshake: error))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.handshakeFailed(CaptureError.closed))
        context.fireChannelInactive()
    }

    private func finish(_ error: CaptureError) {
        let certificates = chain.compactMap(\.self)
        if certificates.isEmpty || certificates.count < chain.count {
            outcome.fail(error)
        } else {
            outcome.succeed(certificates)
        }
    }
}
