internal import Hostnames
internal import ServiceSockets

/// One address on which the relay listens, and what its clients get there.
final class RelayListener: Sendable {
    /// What clients speak to the relay, up to the moment at which a tunnel is open.
    enum Speech: Sendable {
        case http
        /// SOCKS version 5.
        case socks
        /// Nothing that the relay reads: all bytes are for one server.
        case opaque(RelayTunnel)
    }

    let address: ListenAddress
    let speech: Speech
    /// The server for which the address stands; `nil` for a proxy.
    let mapping: RelayMapping?
    /// A socket that listens there already.
    let socket: Int32?

    init(_ address: ListenAddress, _ mapping: RelayMapping? = nil, speech: Speech = .http, socket: Int32? = nil) {
        (self.address, self.mapping, self.speech, self.socket) = (address, mapping, speech, socket)
    }

    var speaksHTTP: Bool { if case .http = speech { true } else { false } }
}
