package import Hostnames
package import NIOCore
package import NIOHTTP1

/// A request that each client can send.
package struct MatrixRequest: Sendable {
    /// A body of bytes `a`.
    package enum Body: Sendable {
        case none, kept, once

        /// More than AsyncHTTPClient's adapter keeps: a longer body can be sent once.
        package static let bytes = 300_000
    }

    package var origin: Origin
    package var target: String
    package var fields: [String: String]
    package var body: Body
    /// The bytes of the body; `nil` for ``Body/bytes``, and for as many as the client keeps if it is to keep them.
    package var length: Int?
    /// Only a test of deadlines sets a shorter one, because the machine may be busy.
    package var limit: TimeAmount

    package init(
        origin: Origin,
        target: String = "/",
        fields: [String: String] = [:],
        body: Body = .none,
        length: Int? = nil,
        limit: TimeAmount = .hours(1)
    ) {
        (self.origin, self.target, self.fields) = (origin, target, fields)
        (self.body, self.length, self.limit) = (body, length, limit)
    }

    package var url: String { "\(origin)\(target)" }
    package var method: HTTPMethod { if case .none = body { .GET } else { .POST } }
    package var bytes: ByteBuffer { ByteBuffer(repeating: 0x61, count: length ?? Body.bytes) }
}

/// What came back.
package struct MatrixReply: Sendable {
    package let status: Int
    package let text: String

    package init(status: Int, text: String) { (self.status, self.text) = (status, text) }
}
