internal import Foundation
internal import Hostnames
public import NIOCore
internal import NIOHTTP1
public import NIOPosix
public import OAuth
public import Secrets
internal import Waiting

/// Waits on a loopback address for the redirect of a browser in which a user signs in (RFC 8252 section 7.3).
///
/// ```swift
/// let listener = try await RedirectListener.start()
/// let authorization = AuthorizationRequest(client, try .init(metadata), redirect: listener.redirect)
/// show(authorization.url)                                        // the user opens it in a browser
/// let code = try await listener.code(for: authorization)
/// let response = try await service.send(authorization.tokenRequest(for: code))
/// let grant = try client.grant(from: response, at: unixSeconds)
/// ```
///
/// It listens on 127.0.0.1, and for a redirect to localhost on ::1 as well, because a browser may try either and another program of the machine must
/// not get the code. One redirect with the right path and state is taken, and then nothing is listened to any more. Requests with
/// another path or state get an error page and change nothing, however many they are, because any program of the machine, and any page in the
/// browser, can send them.
public final class RedirectListener: Sendable {
    /// The most connections at a time. Beyond it the oldest one that has sent nothing gives way, so that other programs of the machine keep
    /// no browser out by connections that they hold.
    static let mostConnections = 64
    /// How long a connection may take for its request.
    static let patience = TimeAmount.seconds(10)

    /// Where the browser is led: the redirect that ``start(at:group:)`` got, with the port that is listened to.
    public let redirect: ServiceURL
    private let channels: [any Channel]
    private let requests: AsyncStream<RedirectRequest>
    private let connections: RedirectConnections

    private init(
        _ redirect: ServiceURL,
        _ channels: [any Channel],
        _ requests: AsyncStream<RedirectRequest>,
        _ connections: RedirectConnections
    ) {
        (self.redirect, self.channels, self.requests, self.connections) = (redirect, channels, requests, connections)
    }

    /// The redirect of a client that has registered no other one.
    public static let standardRedirect = "http://127.0.0.1/callback"

    /// Listens.
    ///
    /// - Parameters:
    ///   - redirect: the redirect that the client has registered at the service, on 127.0.0.1 or localhost. Its path is compared byte for byte.
    ///     Without a port, the system chooses one: services take any port of a loopback address (RFC 8252 section 7.3).
    ///   - group: where connections run.
    /// - Throws: ``RedirectError``.
    public static func start(
        at redirect: String = standardRedirect,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async throws -> RedirectListener {
        let place: ServiceURL
        do throws(ServiceURLError) { place = try ServiceURL(redirect) } catch {
            throw RedirectError.badRedirect("\(error)")
        }
        let host = place.origin.host.description
        guard place.origin.scheme == .http, host == "127.0.0.1" || host == "localhost" else {
            throw RedirectError.badRedirect("\(place) is not on 127.0.0.1: write \(standardRedirect)")
        }
        guard place.path == place.target else {
            throw RedirectError.badRedirect("\(place) has a query: remove what follows '?'")
        }
        let wantsPort = place.namesPort
        // Requests beyond the bound get a page that says so; earlier ones stay.
        let (requests, incoming) = AsyncStream.makeStream(
            of: RedirectRequest.self,
            bufferingPolicy: .bufferingOldest(mostConnections)
        )
        let connections = RedirectConnections(limit: mostConnections)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                connections.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try channel.pipeline.syncOperations.addHandler(RedirectConnection(incoming, connections))
                }
            }
        var channels: [any Channel] = []
        do {
            channels.append(
                try await bootstrap.bind(host: "127.0.0.1", port: wantsPort ? Int(place.origin.port) : 0).get()
            )
            let port = channels[0].localAddress?.port ?? 0
            if host == "localhost" {
                do {
                    channels.append(try await bootstrap.bind(host: "::1", port: port).get())
                } catch let error as IOError where [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode) {
                    // A machine without IPv6: no browser of it gets there.
                }
            }
            return RedirectListener(
                // Only the port may be added to what the client has registered.
                wantsPort ? place : try place.onPort(port),
                channels,
                requests,
                connections
            )
        } catch {
            for channel in channels { try? await channel.close() }
            throw RedirectError.cannotListen(port: wantsPort ? Int(place.origin.port) : nil, "\(error)")
        }
    }

    /// The code that the browser brings. Nothing is listened to when this returns.
    ///
    /// - Parameters:
    ///   - authorization: what the browser was sent to, with ``redirect``.
    ///   - limit: how long the user may take.
    /// - Throws: ``RedirectError``, `AuthorizationError` if the service or the user refused or the response is another service's, or
    ///   `CancellationError`.
    public func code(
        for authorization: AuthorizationRequest,
        limit: TimeAmount = .minutes(5)
    ) async throws -> SharedSecret {
        let result: Result<SharedSecret, any Error>
        do {
            result = .success(
                try await Deadline.run(until: .now() + limit) { [self] in try await redirected(authorization) }
            )
        } catch ClientError.deadlineExceeded {
            result = .failure(RedirectError.noRedirect(seconds: limit.nanoseconds / 1_000_000_000))
        } catch {
            result = .failure(error)
        }
        await close()
        return try result.get()
    }

    /// Stops listening, and closes the connections of browsers.
    public func close() async {
        for channel in channels { try? await channel.close() }
        await connections.close()
    }

    private func redirected(_ authorization: AuthorizationRequest) async throws -> SharedSecret {
        for await request in requests {
            guard request.isGet else {
                await request.answer(.methodNotAllowed)
                continue
            }
            do throws(AuthorizationError) {
                let code = try authorization.code(in: request.target)
                await request.answer(.arrived)
                return code
            } catch {
                switch error {
                case .otherPath: await request.answer(.notFound)
                // Without the right state it is not the response to this sign-in.
                case .tooLong, .malformed, .otherState: await request.answer(.notThisSignIn)
                case .otherIssuer, .refused, .noCode:
                    await request.answer(.failed)
                    throw error
                }
            }
        }
        try Task.checkCancellation()
        throw RedirectError.cannotListen(port: nil, "the listener is closed")
    }
}

/// Why no redirect came.
public enum RedirectError: Error, Equatable, Sendable {
    /// The redirect of the client cannot be listened to; the text says why and what to do.
    case badRedirect(String)
    /// The port cannot be listened to; `nil` for one of the system's choice.
    case cannotListen(port: Int?, String)
    /// The user did not finish in time.
    case noRedirect(seconds: Int64)
}

extension RedirectError: CustomStringConvertible {
    /// One line: the problem and the remedy.
    public var description: String {
        switch self {
        case .badRedirect(let problem): "redirect: \(problem)"
        case .cannotListen(let port, let reason):
            "no redirect can be received\(port.map { " on port \($0)" } ?? "") (\(reason)): free the port, or leave it to the system"
        case .noRedirect(let seconds): "no browser came back in \(seconds) s: begin again"
        }
    }
}
