package import HTTP1
package import NIOHTTP1

extension RequestHead.Method {
    /// The method of a message of NIO.
    package init(_ method: HTTPMethod) {
        self =
            switch method {
            case .CONNECT: .connect
            case .HEAD: .head
            case .GET, .OPTIONS, .PUT, .DELETE: .idempotent
            case .TRACE: .trace
            default: .other
            }
    }
}
