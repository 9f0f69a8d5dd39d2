public import NIOCore
internal import NIOHTTP1
public import NIOPosix
public import OAuth
internal import Sallyport
public import SallyportNIO
internal import Secrets
internal import Waiting

/// Sends requests to token services, for an `OAuthTokenSource`.
///
/// ```swift
/// let service = try TokenService(tls: TLSConnector(current))
/// let tokens = OAuthTokenSource("tracker", client: client, grant: .clientCredentials) { try await service.send($0) }
/// ```
///
/// A request has a connection of its own, and is sent once: a service may have spent a refresh token although its response was lost. No account
/// answers a challenge, and no redirect is followed. Servers are verified by the connector's roots and pins.
public final class TokenService: Sendable {
    private let client: AuthenticatedClient
    private let limit: TimeAmount

    /// Makes a sender.
    ///
    /// - Parameters:
    ///   - tls: roots and pins. It has no default, so that the pins of a profile are not forgotten.
    ///   - settings: the proxy or the ways for https; a proxy must not ask for authentication, and the time for connecting.
    ///   - limit: how long a request may take, with its response.
    ///   - group: where connections run.
    public init(
        tls: TLSConnector,
        settings: ClientSettings = ClientSettings(),
        limit: TimeAmount = .seconds(30),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) throws {
        var settings = settings
        // A request on a connection that was used before would be repeated if that closes.
        settings.idleConnections = 0
        // Of http a proxy would read the secrets; and a loopback address is this machine's, not that of the proxy.
        settings.proxy = { [proxy = settings.proxy] in $0.scheme == .https ? proxy($0) : nil }
        if let ways = settings.ways { settings.ways = { $0.scheme == .https ? try await ways($0) : [nil] } }
        self.limit = limit
        let nothing = SecurityProfile(sites: try SiteList(parsing: "", name: "token service"), schemes: [.basic])
        client = AuthenticatedClient(
            CurrentHandler(try ChallengeHandler(profile: nothing, at: 0)),
            settings: settings,
            tls: tls,
            group: group
        )
    }

    /// Sends a request and reads its response, at most `TokenLimits.responseBytes`.
    ///
    /// - Throws: ``ClientError``, `TokenServiceError`, or `CancellationError`.
    public func send(_ request: TokenRequest) async throws -> TokenResponse {
        let sent = request.clientRequest
        let deadline = NIODeadline.now() + limit
        return try await Deadline.run(until: deadline) { [client] in
            let response = try await client.executeOnce(sent, deadline: deadline)
            let body = try await response.body.collect(upTo: TokenLimits.responseBytes)
            var bytes = Array(body.readableBytesView)
            defer { erase(&bytes) }
            return try TokenResponse(
                status: Int(response.status.code),
                body: bytes.span,
                nonce: response.headers.first(name: "DPoP-Nonce")
            )
        }
    }
}

extension TokenRequest {
    /// The request as the client sends it. NIO's buffers and fields are not erased.
    fileprivate var clientRequest: ClientRequest {
        var headers = HTTPHeaders(fields.map { ($0.name, $0.value) })
        if let authorization {
            authorization.withBytes { bytes in
                let value = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
                headers.replaceOrAdd(name: "Authorization", value: value)
            }
        }
        var buffer = ByteBuffer()
        body?.withBytes { bytes in for index in bytes.indices { buffer.writeInteger(bytes[index]) } }
        return ClientRequest(
            origin: url.origin,
            method: HTTPMethod(rawValue: method.rawValue),
            target: url.target,
            headers: headers,
            body: body == nil ? .none : .bytes(buffer)
        )
    }
}
