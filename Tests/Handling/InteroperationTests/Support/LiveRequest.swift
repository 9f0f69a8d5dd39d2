import Hostnames
import Sallyport

/// A request, as the application means it and as ``LiveClient`` writes it.
struct LiveRequest: Sendable {
    let outgoing: OutgoingRequest
    /// The proxy, which reads the request; `nil` without one.
    let proxy: Origin?
    private let bytes: [UInt8]?
    /// Whether it opens a tunnel to the origin through the proxy.
    let isTunnel: Bool

    /// - Parameter body: the body; `nil` for none.
    init(_ path: String, at origin: Origin, through proxy: Origin? = nil, method: String = "GET", body: [UInt8]? = nil)
    {
        outgoing = OutgoingRequest(
            origin: origin,
            method: method,
            target: path,
            body: body.map { .repeatable(.bytes($0)) } ?? .none
        )
        self.proxy = proxy
        bytes = body
        isTunnel = false
    }

    /// A tunnel to `origin`.
    init(tunnelTo origin: Origin, through proxy: Origin) {
        outgoing = OutgoingRequest(origin: origin)
        self.proxy = proxy
        bytes = nil
        isTunnel = true
    }

    var path: String { outgoing.target }
    var route: RequestRoute { proxy.map { isTunnel ? .connect(to: $0) : .forwarded(by: $0) } ?? .direct }
    /// The port to connect to.
    var port: UInt16 { proxy?.port ?? outgoing.origin.port }
    var method: String { isTunnel ? "CONNECT" : outgoing.method }
    /// The request target.
    var target: String { isTunnel ? host : proxy == nil ? path : "\(outgoing.origin)\(path)" }
    /// The `Host` field.
    var host: String { "\(outgoing.origin.host):\(outgoing.origin.port)" }

    func body(_ body: RequestSending.Body) -> [UInt8]? {
        switch body {
        case .whole: bytes
        case .empty: bytes == nil ? nil : []
        }
    }
}
