public import Hostnames
internal import NIOConcurrencyHelpers
public import NIOCore
internal import Sallyport
internal import SallyportNIO
internal import Waiting

extension AuthenticatedClient {
    /// Answers CONNECT of a client with 200, and carries its bytes to `origin` and back, until both sides have ended: the whole of a tunnel in
    /// a proxy of yours.
    ///
    /// It goes through the proxy where ``ClientSettings`` name one, and directly otherwise. That proxy's challenges are answered, and a
    /// credential that the profile does not have is asked for, as for a request. The bytes are passed on as they are, so TLS is the client's.
    /// When the task is cancelled, both sides are closed.
    ///
    /// - Parameters:
    ///   - client: the channel of the client, after the end of its request; see ``/SallyportNIO/AcceptedTunnel``.
    ///   - handler: the type of your handler of requests on it.
    ///   - origin: whose host and port count.
    ///   - deadline: when the connection to `origin` must be there; `nil` for ``ClientSettings/totalLimit``. A proxy has 30 seconds for each
    ///     answer to CONNECT.
    /// - Throws: ``ClientError`` if there is no connection to `origin`; `CancellationError`; or an error of a client's channel without NIO's
    ///   handlers of HTTP. Nothing was answered then.
    public func tunnel(
        _ client: any Channel,
        from handler: (some RemovableChannelHandler & SendableMetatype).Type,
        to origin: Origin,
        deadline: NIODeadline? = nil
    ) async throws {
        let deadline = deadline ?? .now() + settings.totalLimit
        // A channel that opens at the moment of the deadline has no other owner.
        let opened = NIOLockedValueBox<(any Channel)?>(nil)
        let server: AcceptedTunnel.Held
        do {
            server = try await Deadline.run(until: deadline) { [self] in
                var repetitions = 0
                return try await onWays(to: origin) { proxy in
                    guard !pool.isShutDown else { throw ClientError.isShutDown }
                    return try await bytes(of: origin, through: proxy, until: deadline, &repetitions, opened)
                }
            }
        } catch {
            opened.withLockedValue { $0 }?.close(promise: nil)
            throw error
        }
        try await AcceptedTunnel.carry(client, from: handler, over: server)
    }

    /// The other end of a tunnel to `origin`; `nil` if the proxy has refused it, and there is another credential now.
    ///
    /// - Parameter opened: gets the channel, before anybody waits for anything else.
    private func bytes(
        of origin: Origin,
        through proxy: Origin?,
        until deadline: NIODeadline,
        _ repetitions: inout Int,
        _ opened: NIOLockedValueBox<(any Channel)?>
    ) async throws -> AcceptedTunnel.Held? {
        func bytes() async throws -> AcceptedTunnel.Held {
            let held = try await connector.bytes(of: origin, through: proxy, until: deadline)
            opened.withLockedValue { $0 = held.channel }
            return held
        }
        guard let proxy else { return try await bytes() }
        let (route, outgoing) = (RequestRoute.connect(to: proxy), OutgoingRequest(origin: origin))
        try await authenticator?.prepare(outgoing, by: route)
        let (handler, earlier) = (current.handler, repetitions)
        func advice(after outcome: RequestOutcome, _ fields: HTTPFields) async throws -> AuthenticatorAdvice {
            try await authenticator?
                .advice(
                    afterNoting: outcome,
                    of: outgoing,
                    by: route,
                    fields: fields,
                    with: handler,
                    repetitions: earlier,
                    canRepeat: true
                ) ?? .deliver
        }
        do {
            let held = try await onceTrusted { try await bytes() }
            _ = try await advice(after: .accepted, [:])
            return held
        } catch let refused as RefusedTunnel {
            guard try await advice(after: refused.outcome, refused.fields) == .repeatRequest else {
                throw refused.error
            }
            repetitions += 1
            return nil
        }
    }

    /// Connects, and once more if the server's key is trusted on a question.
    func onceTrusted<Value>(_ connect: () async throws -> Value) async throws -> Value {
        do {
            return try await connect()
        } catch {
            let cause = (error as? UnreachedWay)?.cause ?? error
            guard case TLSError.serverNotValidated(let origin, let reason, let chain) = cause,
                reason.canBeTrusted, let authenticator,
                let server = UntrustedServer(origin: origin, reason: "\(reason)", chain: chain),
                try await authenticator.advice(on: server) == .repeatRequest
            else { throw error }
            return try await connect()
        }
    }
}
