internal import Hostnames

/// One address on which the relay listens, and what its clients get there.
///
/// A class, because Swift 6.3.1 misaligns an Origin that a closure captures.
final class RelayListener: Sendable {
    let address: ListenAddress
    /// The server for which the address stands; `nil` for a proxy.
    let mapping: RelayMapping?

    init(_ address: ListenAddress, _ mapping: RelayMapping? = nil) {
        (self.address, self.mapping) = (address, mapping)
    }
}

extension RelaySettings {
    /// All addresses, those of proxies first.
    var allListeners: [RelayListener] {
        listeners.map { RelayListener($0) } + mappings.map { RelayListener($0.listener, $0) }
    }
}
