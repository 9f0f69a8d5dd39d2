internal import Hostnames

/// One address on which the relay listens, and what its clients get there.
final class RelayListener: Sendable {
    let address: ListenAddress
    /// The server for which the address stands; `nil` for a proxy.
    let mapping: RelayMapping?
    /// A socket that listens there already.
    let socket: Int32?

    init(_ address: ListenAddress, _ mapping: RelayMapping? = nil, socket: Int32? = nil) {
        (self.address, self.mapping, self.socket) = (address, mapping, socket)
    }
}
