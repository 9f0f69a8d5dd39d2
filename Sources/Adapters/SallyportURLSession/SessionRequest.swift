internal import Foundation
internal import NIOCore
internal import NIOFoundationCompat
internal import NIOHTTP1
internal import Sallyport
internal import SallyportClient
internal import Waiting

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A request of a session, with its redirects and cookies.
struct SessionRequest: Sendable {
    private let first: ClientRequest
    private let session: URLSession
    private let client: AuthenticatedClient
    private let deadline: NIODeadline
    private let handlesCookies: Bool

    /// - Parameter body: the body in place of the request's.
    init(
        _ request: URLRequest,
        _ session: URLSession,
        _ authenticator: SessionAuthenticator,
        body: ClientRequest.Body? = nil
    ) throws {
        guard let url = request.url else { throw ClientError.badRedirect(reason: "the request has no URL") }
        var headers = HTTPHeaders()
        for (name, value) in session.configuration.httpAdditionalHeaders ?? [:] {
            headers.replaceOrAdd(name: "\(name)", value: "\(value)")
        }
        for (name, value) in request.allHTTPHeaderFields ?? [:] { headers.replaceOrAdd(name: name, value: value) }
        first = try ClientRequest(
            url: url.absoluteString,
            method: HTTPMethod(rawValue: request.httpMethod ?? "GET"),
            headers: headers,
            body: body ?? Self.body(of: request)
        )
        self.session = session
        client = authenticator.client
        let limit = min(request.timeoutInterval, session.configuration.timeoutIntervalForResource)
        deadline = .now() + .milliseconds(Int64(min(max(limit, 0) * 1000, 1e12)))
        handlesCookies = request.httpShouldHandleCookies
    }

    private static func body(of request: URLRequest) -> ClientRequest.Body {
        if let data = request.httpBody { return .bytes(ByteBuffer(data: data)) }
        return request.httpBodyStream.map { .once(length: nil, StreamBody($0)) } ?? .none
    }

    /// The last response, and its head as Foundation describes it.
    func response() async throws -> (ClientResponse, HTTPURLResponse) {
        try await Deadline.run(until: deadline) { [self] in
            var redirects = RedirectFollower(first, limit: client.settings.redirects)
            while true {
                let request = redirects.request
                guard let url = URL(string: "\(request.origin)\(request.target)") else {
                    throw ClientError.badRedirect(reason: "its target is no URL")
                }
                let response = try await client.executeOnce(withCookies(request, url), deadline: deadline)
                let head = try head(of: response, url)
                guard try redirects.follow(response.status, response.headers, of: client.current.handler) else {
                    return (response, head)
                }
                _ = try await response.body.drop(within: client.settings)
            }
        }
    }

    private func withCookies(_ request: ClientRequest, _ url: URL) -> ClientRequest {
        guard handlesCookies, session.configuration.httpShouldSetCookies, !request.headers.contains(name: "Cookie"),
            let cookies = session.configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
        else { return request }
        var request = request
        for (name, value) in HTTPCookie.requestHeaderFields(with: cookies) {
            request.headers.replaceOrAdd(name: name, value: value)
        }
        return request
    }

    private func head(of response: ClientResponse, _ url: URL) throws -> HTTPURLResponse {
        var fields: [String: String] = [:]
        for (name, value) in response.headers { fields[name] = fields[name].map { "\($0), \(value)" } ?? value }
        if handlesCookies, let storage = session.configuration.httpCookieStorage {
            storage.setCookies(
                HTTPCookie.cookies(withResponseHeaderFields: fields, for: url),
                for: url,
                mainDocumentURL: nil
            )
        }
        let status = Int(response.status.code)
        guard
            let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { throw ClientError.malformedResponse(first.origin, reason: "Foundation cannot describe it") }
        return head
    }
}
