internal import Credentials
internal import Foundation
internal import Hostnames
internal import NIOCore
internal import NIOSSL
internal import Sallyport
internal import Synchronization
internal import WireFormat

/// One handshake: it verifies the server, chooses the client certificate, and remembers why it failed.
///
/// The handler of challenges with which it begins decides about all of it.
final class Handshake: Sendable {
    private enum Verification {
        case notStarted
        case running(Task<Void, Never>)
        case succeeded
        case failed(TLSError)
        /// The channel is gone.
        case abandoned
    }

    let origin: Origin
    private let handler: ChallengeHandler
    private let verifier: ServerVerifier
    private let keys: IdentityKeys
    /// What the server sends; `nil` if no identity is for it, or if others make the pipeline.
    let flight: ServerFlight?
    private let verification = Mutex(Verification.notStarted)
    private let asked = Mutex<IdentityDecision?>(nil)

    init(
        to origin: Origin,
        _ handler: ChallengeHandler,
        _ verifier: ServerVerifier,
        _ keys: IdentityKeys,
        flight: ServerFlight? = nil
    ) {
        self.origin = origin
        self.handler = handler
        self.verifier = verifier
        self.keys = keys
        self.flight = flight
    }

    /// Whether the server is verified.
    var isVerified: Bool { verification.withLock { if case .succeeded = $0 { true } else { false } } }

    /// Why the server was not verified, or `nil`.
    var failure: TLSError? { verification.withLock { if case .failed(let error) = $0 { error } else { nil } } }

    /// What the server got when it asked for a certificate; `nil` if it did not ask.
    var identity: IdentityDecision? { asked.withLock { $0 } }

    /// How the identity for this server signs, if its key is elsewhere. It is asked for before the handshake.
    var signingAlgorithms: [SigningAlgorithm]? {
        guard case .present(let identity) = handler.identity(for: origin, authorities: []) else { return nil }
        return keys.algorithms(of: identity)
    }

    /// Verifies on a task, so that the event loop goes on. The promise is completed in every case.
    func verify(
        _ presented: [NIOSSLCertificate],
        _ promise: EventLoopPromise<NIOSSLVerificationResultWithMetadata>
    ) {
        verification.withLock { state in
            guard case .notStarted = state else { return promise.succeed(.failed) }
            state = .running(
                Task { [self] in
                    let result = await verifier.verify(presented, of: origin, handler)
                    promise.succeed(end(result))
                }
            )
        }
    }

    private func end(
        _ result: Result<ValidatedCertificateChain, TLSError>
    ) -> NIOSSLVerificationResultWithMetadata {
        verification.withLock { state in
            guard case .running = state else { return .failed }
            switch result {
            case .success(let chain):
                state = .succeeded
                return .certificateVerified(VerificationMetadata(chain))
            case .failure(let error):
                state = .failed(error)
                return .failed
            }
        }
    }

    /// The handshake has ended: the server sends requests for certificates no more.
    func endFlight() { flight?.end() }

    /// The channel is gone: a verification that is running ends early, and its result does not count.
    func abandon() {
        verification.withLock { state in
            switch state {
            case .notStarted: state = .abandoned
            case .running(let task):
                task.cancel()
                state = .abandoned
            case .succeeded, .failed, .abandoned: break
            }
        }
    }

    /// Answers a request for a client certificate.
    func presentIdentity(_ promise: EventLoopPromise<NIOSSLContextConfigurationOverride>) {
        let request = flight?.takeRequest() ?? .unknown
        let choice = handler.identityChoice(for: origin, request, at: SystemClock.unixSeconds)
        asked.withLock { $0 = choice.decision }
        // After BoringSSL's call, because BoringSSL would take an error from here for a failure of the handshake.
        promise.futureResult.eventLoop.execute { [keys, origin] in
            switch choice {
            case .none: promise.succeed(.noChanges)
            case .several(let candidates):
                let question = IdentityQuestion(origin: origin, candidates: candidates, request: request)
                promise.fail(TLSError.identityUndecided(question))
            case .one(let identity):
                do throws(TLSError) {
                    promise.succeed(try keys.override(for: identity))
                } catch {
                    promise.fail(error)
                }
            }
        }
    }
}
