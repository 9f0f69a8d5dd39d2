import Hostnames
import NIOCore
import NIOHTTP1

/// A request that each client can send.
struct MatrixRequest: Sendable {
    /// A body of so many bytes `a`.
    enum Body: Sendable, CaseIterable {
        case none, kept, once

        /// More than AsyncHTTPClient's adapter keeps: a longer body can be sent once.
        static let bytes = 300_000
    }

    var origin: Origin
    var target = "/"
    var fields: [String: String] = [:]
    var body = Body.none
    /// Only a test of deadlines sets a shorter one, because the machine may be busy.
    var limit = TimeAmount.hours(1)

    var url: String { "\(origin)\(target)" }
    var method: HTTPMethod { if case .none = body { .GET } else { .POST } }
    var bytes: ByteBuffer { ByteBuffer(repeating: 0x61, count: Body.bytes) }
}

/// What came back.
struct MatrixReply: Sendable {
    let status: Int
    let text: String
}
