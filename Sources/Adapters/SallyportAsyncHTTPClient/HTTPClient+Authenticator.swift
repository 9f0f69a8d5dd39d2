public import AsyncHTTPClient
public import NIOCore
internal import NIOHTTP1
internal import Sallyport
public import SallyportClient
internal import SallyportNIO
internal import Waiting

extension HTTPClient {
    /// Sends a request, answers the challenges on its way, and returns the response.
    ///
    /// Redirects are followed hop by hop, and each hop is decided anew. The client itself must not follow them: make it with
    /// ``AsyncHTTPClient/HTTPClient/Configuration/forAuthenticator``.
    ///
    /// - Parameters:
    ///   - request: the request. A body of more than ``HTTPClientAuthenticator/keptBodyBytes`` can be sent once.
    ///   - authenticator: answers challenges.
    ///   - deadline: when the response must be complete, with its body.
    /// - Throws: `ClientError`, `CancellationError`, or what AsyncHTTPClient throws.
    public func execute(
        _ request: HTTPClientRequest,
        authenticator: HTTPClientAuthenticator,
        deadline: NIODeadline
    ) async throws -> HTTPClientResponse {
        let body = try await RequestBodies.body(of: request)
        return try await execute(request, body: body, authenticator: authenticator, deadline: deadline).response
    }

    /// The same for a body of which the caller says how often it can be sent; returns how the authentication ended, too.
    ///
    /// - Parameters:
    ///   - request: the request. Its own body is not used.
    ///   - body: the body. One that can be made again is neither kept nor limited.
    ///   - authenticator: answers challenges.
    ///   - deadline: when the response must be complete, with its body.
    /// - Throws: `ClientError`, `CancellationError`, or what AsyncHTTPClient throws.
    public func execute(
        _ request: HTTPClientRequest,
        body: ClientRequest.Body,
        authenticator: HTTPClientAuthenticator,
        deadline: NIODeadline
    ) async throws -> AuthenticatedResponse {
        let first = try ClientRequest(
            url: request.url,
            method: request.method,
            headers: request.headers,
            body: body
        )
        // Without a deadline nothing has to be kept for another task.
        guard deadline != .distantFuture else {
            return try await follow(first, of: request, authenticator: authenticator, deadline: deadline)
        }
        return try await Deadline.run(until: Hop.end(deadline)) { [self] in
            try await follow(first, of: request, authenticator: authenticator, deadline: deadline)
        }
    }

    /// Sends `first`, and follows redirects.
    ///
    /// - Parameter request: what was asked for.
    private func follow(
        _ first: ClientRequest,
        of request: HTTPClientRequest,
        authenticator: HTTPClientAuthenticator,
        deadline: NIODeadline
    ) async throws -> AuthenticatedResponse {
        let settings = authenticator.own.settings
        var redirects = RedirectFollower(first, limit: settings.redirects)
        var history: [HTTPClientRequestResponse] = []
        while true {
            let hop = Hop(
                client: self,
                authenticator: authenticator,
                request: redirects.request,
                deadline: deadline
            )
            var result = try await hop.response(original: request)
            var asked = request
            asked.url = redirects.request.origin.text(before: redirects.request.target, reusing: request.url)
            result.response.note(asked, after: history)
            let response = result.response
            guard try redirects.follow(response.status, response.headers, of: authenticator.handler) else {
                return result
            }
            history = response.history
            _ = try await response.body.drop(within: settings)
        }
    }
}

extension HTTPClientResponse {
    /// Puts what was asked for into the history, behind the hops before it, and not what was sent, which has credentials.
    fileprivate mutating func note(_ asked: HTTPClientRequest, after earlier: [HTTPClientRequestResponse]) {
        // In place: the client has made one already.
        if earlier.isEmpty, history.count == 1 { return history[0].request = asked }
        let head =
            history.last?.responseHead ?? HTTPResponseHead(version: version, status: status, headers: headers)
        history = earlier + [HTTPClientRequestResponse(request: asked, responseHead: head)]
    }
}

extension HTTPClient.Configuration {
    /// A configuration for ``HTTPClient/execute(_:authenticator:deadline:)``: redirects are left to it, and a failed connection is
    /// not repeated, because AsyncHTTPClient would send a wrong proxy password again with each repetition. Connections of HTTP/1.1 have
    /// `ResponseLimits`.
    public static var forAuthenticator: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addResponseLimits(
                    around: pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                )
            }
        }
        return configuration
    }
}
