internal import Hostnames
internal import NIOCore

extension Hostname {
    /// The address without its port; `nil` for one that no request could name, which is not served either.
    init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        guard let host = try? Hostname(parsing: text.contains(":") ? "[\(text)]" : text) else { return nil }
        self = host
    }
}
