internal import Foundation
package import HTTPTypes
internal import Hostnames
package import NIOHTTP1
package import Sallyport
internal import SallyportNIO

/// Follows redirects. Each hop is a request of its own, whose answers are decided anew.
package struct RedirectFollower: Sendable {
    /// The fields that follow to another origin. All others may hold a secret for the first one, such as `X-Api-Key`.
    private static let followingFields: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection",
        "content-encoding",
        "content-language", "content-length", "content-type", "expect", "if-match", "if-modified-since",
        "if-none-match",
        "if-unmodified-since", "pragma", "range", "transfer-encoding", "user-agent",
    ]

    /// The request of the current hop.
    package private(set) var request: ClientRequest
    private let limit: Int
    private var count = 0

    package init(_ request: ClientRequest, limit: Int) {
        self.request = request
        self.limit = limit
    }

    /// Prepares the next hop. Returns false if `response` is the result.
    ///
    /// - Parameters:
    ///   - status: the status of the response.
    ///   - headers: its fields.
    ///   - fields: the same with their original bytes, where they are known.
    ///   - handler: knows the token that has gone along with the request in its query.
    /// - Throws: ``ClientError/badRedirect(reason:)``.
    package mutating func follow(
        _ status: HTTPResponseStatus,
        _ headers: HTTPHeaders,
        _ fields: HTTPFields? = nil,
        of handler: ChallengeHandler? = nil
    ) throws(ClientError) -> Bool {
        guard let method = method(after: status),
            let location = fields?[fields: .location].first?.urlText ?? headers.first(name: "Location")
        else { return false }
        guard limit > 0 else { return false }
        guard count < limit else {
            throw .badRedirect(
                reason: "there were \(limit) before it: allow more redirects (--max-redirects at the command line)"
            )
        }
        count += 1
        var next = try resolve(location)
        // A server that leads to another host repeats the query that it got.
        if let token = handler?.placedToken(for: request.withoutBody, by: .direct) {
            next.target = token.withoutToken(next.target)
        }
        next.method = method
        next.headers = request.headers
        if method == request.method {
            if case .once = request.body { throw .badRedirect(reason: "the body can be sent once only") }
            next.body = request.body
        } else {
            for name in ["Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Expect"] {
                next.headers.remove(name: name)
            }
        }
        if next.origin != request.origin {
            next.headers = HTTPHeaders(next.headers.filter { Self.followingFields.contains($0.name.lowercased()) })
        }
        request = next
        return true
    }

    /// The method of the next request (RFC 9110 section 15.4); `nil` if the status is not a redirect.
    private func method(after status: HTTPResponseStatus) -> HTTPMethod? {
        switch status {
        case .movedPermanently, .found: request.method == .POST ? .GET : request.method
        case .seeOther: request.method == .HEAD ? .HEAD : .GET
        case .temporaryRedirect, .permanentRedirect: request.method
        default: nil
        }
    }

    /// The target of `location`, which may be relative (RFC 3986 section 5).
    private func resolve(_ location: String) throws(ClientError) -> ClientRequest {
        // Other code has replaced bytes that are not UTF-8, so the location is another one than the server's.
        guard !location.unicodeScalars.contains("\u{FFFD}") else {
            throw .badRedirect(
                reason: "the location has bytes that are not UTF-8: ask the server's operator to percent-encode them"
            )
        }
        guard let base = URL(string: "\(request.origin)\(request.target)"),
            let url = URL(string: location, relativeTo: base)
        else { throw .badRedirect(reason: "the location is no URL: ask the server's operator to correct it") }
        let next: ClientRequest
        do throws(URLLocationError) {
            next = try ClientRequest(url: url.absoluteString)
        } catch {
            throw .badRedirect(reason: "\(error)")
        }
        guard request.origin.scheme == .http || next.origin.scheme == .https else {
            throw .badRedirect(reason: "it leads from https to http: request the http URL itself if that is meant")
        }
        return next
    }
}

extension HTTPField {
    /// The value as a reference to a URL. In one that is not UTF-8 the bytes above 127 are percent-encoded, as curl does.
    fileprivate var urlText: String {
        if let wholeText { return wholeText }
        var text: [UInt8] = []
        // In bounds: the buffer is the field's own.
        unsafe withUnsafeBytesOfValue { bytes in
            for index in bytes.indices {
                let byte = unsafe bytes[index]
                if byte > 0x7F {
                    text += Array("%\(String(byte, radix: 16, uppercase: true))".utf8)
                } else {
                    text.append(byte)
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
