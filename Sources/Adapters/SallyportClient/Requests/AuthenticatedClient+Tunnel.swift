public import Hostnames
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
    ///
    /// - Parameters:
    ///   - client: the channel of the client, after the end of its request; see ``/SallyportNIO/AcceptedTunnel``.
    ///   - handler: the type of your handler of requests on it.
    ///   - origin: whose host and port count.
    ///   - deadline: when the connection to `origin` must be there; `nil` for ``ClientSettings/totalLimit``.
    /// - Throws: ``ClientError`` if there is no connection to `origin`, and then nothing was answered; `CancellationError` if the task is
    ///   cancelled; or what ends one of the sides.
    public func tunnel(
        _ client: any Channel,
        from handler: (some RemovableChannelHandler & SendableMetatype).Type,
        to origin: Origin,
        deadline: NIODeadline? = nil
    ) async throws {
        let deadline = deadline ?? .now() + settings.totalLimit
        let server = try await Deadline.run(until: deadline) { [self] in
            var repetitions = 0
            return try await onWays(to: origin) { proxy in
                try await bytes(of: origin, through: proxy, until: deadline, &repetitions)
            }
        }
        try await AcceptedTunnel.carry(client, from: handler, over: server)
    }

    /// A channel to `origin` that holds what comes; `nil` if the proxy has refused it, and there is another credential now.
    private func bytes(
        of origin: Origin,
        through proxy: Origin?,
        until deadline: NIODeadline,
        _ repetitions: inout Int
    ) async throws -> (any Channel)? {
        guard let proxy else { return try await connector.bytes(of: origin, through: nil, until: deadline) }
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
        let channel: any Channel
        do {
            channel = try await connector.bytes(of: origin, through: proxy, until: deadline)
        } catch let refused as RefusedTunnel {
            guard try await advice(after: refused.outcome, refused.fields) == .repeatRequest else {
                throw refused.error
            }
            repetitions += 1
            return nil
        }
        do {
            _ = try await advice(after: .accepted, [:])
            return channel
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }
}
