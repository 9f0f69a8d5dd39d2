public import ClientCertificates
internal import Foundation
public import Hostnames
public import NIOCore
public import NIOSSL
public import Sallyport
internal import WireFormat

/// Makes the TLS of connections: it verifies servers with roots, names and pins before the first byte of a request, and
/// presents client certificates when a server asks.
///
/// ```swift
/// let connector = try TLSConnector(settings, CurrentHandler(handler))
/// let channel = try await ClientBootstrap(group: group).connect(host: "wiki.example", port: 443).get()
/// try await connector.secure(channel, to: Origin(parsing: "https://wiki.example"))
/// ```
///
/// - **Verification.** A path from the server's certificate to a root must fulfil RFC 5280, be for servers, have the host in
///   its `subjectAltName`, and have a pin if the profile pins the host. If an authority is cross-signed, other paths are tried
///   too, up to a bound. The work runs on a task, and not on the event loop. No certificate of the path may be on a list of
///   ``TLSSettings/revocationLists``. Neither OCSP nor a log of Certificate Transparency is asked.
/// - **Ciphers.** TLS 1.2 has ECDHE with AES-GCM or ChaCha20-Poly1305, unless ``TLSSettings/olderCiphers`` has more.
/// - **Client certificates.** The profile is asked only after the server is verified and when it asks for a certificate. Without
///   an identity for this server, the handshake goes on without a certificate. If several identities fit, it ends with
///   ``TLSError/identityUndecided(_:)``. Which authorities and algorithms the server accepts is read from its handshake.
/// - **Resumption.** NIOSSL resumes no session as a client, so each connection has a whole handshake: the server is verified
///   anew, and an identity does not return in the session of another one.
/// - **One handler.** The handler in use when a connection begins decides about its server and its identity.
public final class TLSConnector: Sendable {
    private let settings: TLSSettings
    private let current: CurrentHandler
    private let verifier: ServerVerifier
    private let keys: IdentityKeys

    /// The signatures of servers that are accepted: BoringSSL's own list without SHA-1, and two more, P-521 and Ed25519. A server whose only
    /// key is one of these two ends the handshake with a client that does not list it.
    private static let serverSignatures: [SignatureAlgorithm] = [
        .ecdsaSecp256R1Sha256, .rsaPssRsaeSha256, .rsaPkcs1Sha256, .ecdsaSecp384R1Sha384, .rsaPssRsaeSha384,
        .rsaPkcs1Sha384, .rsaPssRsaeSha512, .rsaPkcs1Sha512, .ecdsaSecp521R1Sha512, .ed25519,
    ]

    /// Reads the roots, and checks the identities of the profile that have a key.
    ///
    /// - Throws: ``TLSError/unreadableRoot(index:)``, ``TLSError/weakRoot(index:key:)``, ``TLSError/twoKeys(identity:)`` or ``TLSError/unusableIdentity(_:)``.
    public init(_ settings: TLSSettings, _ handler: CurrentHandler) throws(TLSError) {
        self.settings = settings
        current = handler
        verifier = try ServerVerifier(
            settings.roots,
            settings.keyFloor,
            settings.revocationLists,
            onPinFailure: settings.onPinFailure
        )
        keys = try IdentityKeys(settings.identityKeys, signing: settings.signingKeys, settings.identities)
        try keys.prepare(handler.handler.compiled.profile.identities.map(\.value))
    }

    /// The same with identities and their keys, which take the place of those in the profile in use.
    ///
    /// - Throws: ``TLSError``, or `ProfileError`.
    public convenience init(
        _ current: CurrentHandler,
        identities: [SecurityProfile.Assignment<KeyedIdentity>],
        settings: TLSSettings = TLSSettings()
    ) throws {
        var settings = settings
        settings.identities = IdentityRing(identities.map(\.value))
        try current.update(at: SystemClock.unixSeconds) { profile in
            profile.identities = identities.map { .init($0.value.identity, sites: $0.sites) }
        }
        try self.init(settings, current)
    }

    /// The same with the roots of the system and without keys. It reads nothing: the roots are read once for the process, at the first
    /// connection that needs them.
    public init(_ handler: CurrentHandler) {
        settings = TLSSettings()
        current = handler
        verifier = ServerVerifier(settings.keyFloor)
        keys = IdentityKeys()
    }

    /// The TLS handler for a connection to `origin`, which offers HTTP/1.1.
    ///
    /// By itself this handler ends with NIOSSL's `CERTIFICATE_VERIFY_FAILED` if a server is rejected, and has no time limit;
    /// ``addHandlers(to:for:position:)`` adds both a ``TLSError`` and the limit. After the handshake its
    /// `peerValidatedCertificateChain` is the path that was verified.
    /// Of what the server accepts from clients nothing is known to it.
    public func makeHandler(for origin: Origin) throws -> NIOSSLClientHandler {
        try make(for: origin, readsFlight: false).handler
    }

    /// Adds TLS for `origin` to a pipeline, on its event loop.
    ///
    /// If the handshake fails, one ``TLSError`` goes through the pipeline and the channel is closed. What is written before the
    /// end of the handshake waits for it.
    public func addHandlers(
        to pipeline: ChannelPipeline.SynchronousOperations,
        for origin: Origin,
        position: ChannelPipeline.SynchronousOperations.Position = .last
    ) throws { try addHandlers(to: pipeline, for: origin, position: position, outcome: nil) }

    /// Adds TLS for `origin` at the end of an open channel's pipeline, and returns after the handshake.
    ///
    /// - Throws: ``TLSError``, or `CancellationError` if the task is cancelled. The channel is closed then.
    public func secure(_ channel: any Channel, to origin: Origin) async throws {
        try await secure(channel, to: origin) { _ in }
    }

    /// The same, and adds handlers before the first bytes of the server.
    ///
    /// - Parameters:
    ///   - channel: an open channel to the server, or a tunnel to it.
    ///   - origin: the server.
    ///   - install: called on the event loop at the end of the handshake. Handlers that are added here miss nothing,
    ///     not even that a server with TLS 1.3 refuses our certificate after the handshake.
    /// - Returns: what `install` returns.
    public func secure<Value: Sendable>(
        _ channel: any Channel,
        to origin: Origin,
        then install: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Value
    ) async throws -> Value {
        let outcome = channel.eventLoop.makePromise(of: Void.self)
        let installed = outcome.futureResult.flatMapThrowing { try install(channel.pipeline.syncOperations) }
        channel.eventLoop.execute { [self] in
            do {
                let pipeline = channel.pipeline.syncOperations
                try addHandlers(to: pipeline, for: origin, position: .last, outcome: outcome)
            } catch {
                outcome.fail(error)
            }
            // A channel that was closed before sends no more events.
            if !channel.isActive {
                outcome.fail(TLSError.handshakeFailed(origin, reason: "the connection was closed: connect again"))
            }
        }
        do {
            return try await withTaskCancellationHandler {
                try await installed.get()
            } onCancel: {
                channel.close(promise: nil)
            }
        } catch {
            channel.close(promise: nil)
            try Task.checkCancellation()
            throw error
        }
    }

    /// The configuration for connections to `origin` that a library makes itself, such as AsyncHTTPClient; `nil` if the profile
    /// pins the host, or trusts a key of it without an authority, or if there are ``TLSSettings/revocationLists``.
    ///
    /// Such a library verifies servers with NIOSSL's own rules, which show no verified path, so neither pins nor lists could be checked. Open
    /// such connections with ``secure(_:to:)`` or ``addHandlers(to:for:position:)``. The configuration presents the
    /// identity for this origin and for no other, so do not use it for other origins. Two calls return configurations that
    /// a pool does not take as equal: keep one for each origin until the profile changes.
    public func configuration(for origin: Origin) throws -> TLSConfiguration? {
        let handler = current.handler
        guard !handler.hasPins(for: origin.host), !handler.hasTrustedKeys(for: origin.host),
            settings.revocationLists.isEmpty
        else { return nil }
        var configuration = clientConfiguration(Handshake(to: origin, handler, verifier, keys))
        let roots = try settings.roots.certificates.map { try NIOSSLCertificate(bytes: $0, format: .der) }
        let system = SystemRoots.named.map { NIOSSLTrustRoots.file($0) } ?? .default
        switch settings.roots {
        case .system: configuration.trustRoots = system
        case .certificates: configuration.trustRoots = .certificates(roots)
        case .systemAnd:
            configuration.trustRoots = system
            configuration.additionalTrustRoots = [.certificates(roots)]
        }
        return configuration
    }

    // MARK: - Private

    private func clientConfiguration(_ handshake: Handshake) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = settings.minimumVersion
        configuration.cipherSuiteValues = OlderCipher.offered(with: settings.olderCiphers)
        // BoringSSL's own list and P-521: in TLS 1.2, OpenSSL refuses a client's certificate whose curve is not in its list.
        configuration.curves = [.x25519_MLKEM768, .x25519, .secp256r1, .secp384r1, .secp521r1]
        configuration.verifySignatureAlgorithms = Self.serverSignatures
        configuration.signingSignatureAlgorithms = handshake.signingAlgorithms?.map { SignatureAlgorithm($0) }
        // Of a client, NIOSSL calls this when the server sends a CertificateRequest.
        configuration.sslContextCallback = { _, promise in handshake.presentIdentity(promise) }
        return configuration
    }

    private func make(
        for origin: Origin,
        readsFlight: Bool
    ) throws -> (handler: NIOSSLClientHandler, handshake: Handshake) {
        guard origin.scheme == .https else { throw TLSError.plainOrigin(origin) }
        verifier.prepare()
        let handler = current.handler
        let flight = readsFlight && handler.hasIdentities(for: origin) ? ServerFlight() : nil
        let handshake = Handshake(to: origin, handler, verifier, keys, flight: flight)
        var configuration = clientConfiguration(handshake)
        if let flight { configuration.keyLogCallback = { flight.note(keyLog: $0) } }
        configuration.applicationProtocols = ["http/1.1"]
        // The callback verifies roots and names. NIOSSL would compare an address with that of the socket, which may be a proxy's.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        let tls = try NIOSSLClientHandler(
            context: NIOSSLContext(configuration: configuration),
            serverHostname: origin.host.isAddress ? nil : origin.host.withoutBrackets,
            customVerificationCallbackWithMetadata: { handshake.verify($0, $1) }
        )
        return (tls, handshake)
    }

    /// - Parameter outcome: completed at the end of the handshake, in place of an error that goes through the pipeline.
    package func addHandlers(
        to pipeline: ChannelPipeline.SynchronousOperations,
        for origin: Origin,
        position: ChannelPipeline.SynchronousOperations.Position = .last,
        outcome: EventLoopPromise<Void>?
    ) throws {
        let (handler, handshake) = try make(for: origin, readsFlight: true)
        let watch = HandshakeWatch(handshake, limit: settings.handshakeLimit, outcome: outcome)
        try InnermostTLS.note(handler, handshake, in: pipeline)
        let tap = handshake.flight.map { [FlightTap($0) as any ChannelHandler] } ?? []
        try pipeline.addHandlers(tap + [handler, watch], position: position)
    }
}
