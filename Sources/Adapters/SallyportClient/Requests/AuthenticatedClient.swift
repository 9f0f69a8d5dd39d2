internal import HTTPAuthentication
public import NIOCore
internal import NIOHTTP1
public import NIOPosix
public import Sallyport
public import SallyportNIO
internal import Waiting

/// A small HTTP/1.1 client that answers challenges, also with schemes that authenticate connections.
///
/// ```swift
/// let client = AuthenticatedClient(CurrentHandler(handler))
/// let response = try await client.execute(ClientRequest(url: "https://wiki.corp.example/"))
/// ```
///
/// Each connection carries the requests of one account only. Redirects are followed hop by hop, and each hop is decided anew.
/// Call ``shutDown()`` when the client is no longer used.
public final class AuthenticatedClient: Sendable {
    /// How often a request asks for an identity: once for its origin, and once for a proxy.
    private static let mostChoices = 2

    package let settings: ClientSettings
    let pool: ConnectionPool
    let connector: Connector
    package let current: CurrentHandler
    /// Brings missing credentials; `nil` if the profile has them all.
    package let authenticator: Authenticator?

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - current: the handler in use; a reload counts for the next request.
    ///   - settings: bounds, and the proxies.
    ///   - tls: roots, pins and client certificates; `nil` for the roots of the system and the pins of the profile.
    ///   - group: where connections run.
    public convenience init(
        _ current: CurrentHandler,
        settings: ClientSettings = ClientSettings(),
        tls: TLSConnector? = nil,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        self.init(current, nil, settings, tls, group)
    }

    /// The same for a client that asks for missing credentials and repeats the request with them. A body that can be sent once is
    /// not repeated: its response is delivered.
    ///
    /// The deadline of a request counts while a person is asked.
    public convenience init(
        _ authenticator: Authenticator,
        settings: ClientSettings = ClientSettings(),
        tls: TLSConnector? = nil,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        self.init(authenticator.current, authenticator, settings, tls, group)
    }

    private init(
        _ current: CurrentHandler,
        _ authenticator: Authenticator?,
        _ settings: ClientSettings,
        _ tls: TLSConnector?,
        _ group: any EventLoopGroup
    ) {
        self.current = current
        self.authenticator = authenticator
        self.settings = settings
        pool = ConnectionPool(settings)
        connector = Connector(group: group, settings: settings, tls: tls ?? TLSConnector(current), current: current)
        authenticator?.onChange { [weak pool] in
            pool?.closeIdle()
            return pool != nil
        }
    }

    /// Sends a request, answers the challenges on its way, follows redirects, and returns the response.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - deadline: when the response must be complete, with its body; `nil` for ``ClientSettings/totalLimit``.
    /// - Throws: ``ClientError``, also if the server does not prove itself where the account demands it; `CancellationError` if the task
    ///   is cancelled; or what a body throws.
    public func execute(_ request: ClientRequest, deadline: NIODeadline? = nil) async throws -> ClientResponse {
        let deadline = deadline ?? .now() + settings.totalLimit
        let (response, last) = try await respond(to: request, deadline: deadline)
        try ClientError.check(response.outcome, Int(response.status.code), of: last)
        return response
    }

    /// The same, and the origin that answered. It returns also the response of a server that did not prove itself; the outcome says so.
    package func respond(
        to request: ClientRequest,
        deadline: NIODeadline
    ) async throws -> (ClientResponse, from: Origin) {
        try await Deadline.run(until: deadline) { [self] in
            var redirects = RedirectFollower(request, limit: settings.redirects)
            while true {
                let response = try await respondOnce(to: redirects.request, deadline: deadline)
                // An impostor leads nowhere.
                guard !response.outcome.isUnproven(status: Int(response.status.code)),
                    try redirects.follow(response.status, response.headers, response.fields, of: current.handler)
                else { return (response, redirects.request.origin) }
                // The body of a redirect is not for the caller.
                _ = try await response.body.drop(within: settings)
            }
        }
    }

    /// Sends a request without redirects, and without a limit on what comes before the response.
    ///
    /// - Throws: what ``execute(_:deadline:)`` throws, also if the server does not prove itself.
    package func executeOnce(_ request: ClientRequest, deadline: NIODeadline) async throws -> ClientResponse {
        let response = try await respondOnce(to: request, deadline: deadline)
        try ClientError.check(response.outcome, Int(response.status.code), of: request.origin)
        return response
    }

    /// The same, and the response also of a server that did not prove itself; the outcome says so.
    private func respondOnce(to request: ClientRequest, deadline: NIODeadline) async throws -> ClientResponse {
        var repetitions = 0
        return try await onWays(to: request.origin) { proxy in
            let request = withReferer(request, through: proxy)
            try await authenticator?.prepare(
                request.withoutBody,
                by: RequestDrive.route(to: request.origin, through: proxy)
            )
            let drive = RequestDrive(
                client: self,
                handler: current.handler,
                request: request,
                proxy: proxy,
                deadline: deadline
            )
            do {
                let response = try await drive.response()
                let fields = response.fields
                guard try await drive.isRepeated(after: response.outcome, fields, repetitions) else {
                    // A server that did not prove itself cannot refuse the token.
                    guard !response.outcome.isUnproven(status: Int(response.status.code)), drive.mayBeRefused(response)
                    else { return response }
                    let (whole, problem) = try await response.lookingForProblem()
                    guard let problem, try await drive.isRepeated(after: problem, repetitions) else { return whole }
                    _ = try await whole.body.drop(within: settings)
                    repetitions += 1
                    return nil
                }
                // The refused response is not for the caller.
                _ = try await response.body.drop(within: settings)
            } catch let refused as RefusedTunnel {
                guard try await drive.isRepeated(after: refused, repetitions) else { throw refused.error }
            }
            repetitions += 1
            return nil
        }
    }

    /// Does what `attempt` says on the ways to `origin`, in turn where one cannot be reached, and on the same one again while it returns `nil`.
    func onWays<Value>(
        to origin: Origin,
        _ attempt: (_ proxy: Origin?) async throws -> Value?
    ) async throws -> Value {
        var choices = 0
        var ways = try await settings.everyWay(to: origin)[...]
        while true {
            let proxy = ways.first ?? nil
            do {
                if let value = try await attempt(proxy) { return value }
            } catch TLSError.identityUndecided(let question) {
                // The connection has ended; the next one has a handler that knows the reply.
                guard choices < Self.mostChoices, let authenticator,
                    try await authenticator.advice(on: question) == .repeatRequest
                else { throw TLSError.identityUndecided(question) }
                choices += 1
            } catch let unreached as UnreachedWay {
                guard ways.count > 1 else { throw unreached.cause }
                settings.wayFailed(origin, proxy, unreached.cause)
                ways.removeFirst()
            }
        }
    }

    /// The request with the `Referer` that its token demands. A redirect takes the caller's own fields along, so another origin never gets it.
    private func withReferer(_ request: ClientRequest, through proxy: Origin?) -> ClientRequest {
        let route = RequestDrive.route(to: request.origin, through: proxy)
        guard let referer = authenticator?.referer(of: request.withoutBody, by: route) else { return request }
        var request = request
        request.headers.replaceOrAdd(name: "Referer", value: referer)
        return request
    }

    /// The error of TLS to `origin` after a connection of another client has ended with `error`; `nil` if TLS has not failed.
    ///
    /// NIOSSL does not say whether a certificate has expired or is of an unknown authority. A connection of our own does, and ends before
    /// a byte of a request.
    package func explain(_ error: any Error, of origin: Origin, until deadline: NIODeadline) async -> TLSError? {
        guard let reason = TLSReason.text(error) else { return nil }
        guard TLSReason.isAboutCertificate(error) else { return .handshakeFailed(origin, reason: reason) }
        do {
            try await connector.open(to: origin, deadline).close(mode: .all).get()
        } catch let error as TLSError {
            if case .serverNotValidated = error { return error }
        } catch {}
        return .handshakeFailed(origin, reason: reason)
    }

    /// Closes the connections that no request uses, for example after a sign-out. Each other one is closed when its request has
    /// ended.
    public func closeIdleConnections() { pool.closeIdle() }

    /// Closes idle connections; requests that are under way end, and later ones fail.
    public func shutDown() { pool.shutDown() }
}
