/// Why a relay does not run.
public enum RelayError: Error, Equatable, Sendable {
    /// The settings name no address.
    case noListener
    /// The settings name no proxy.
    case noParent
    /// Other machines could reach the address.
    case notLoopback(ListenAddress)
    /// The system does not let the relay listen there.
    case cannotListen(ListenAddress, reason: String)
}

extension RelayError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .noListener: "listeners: there is none: name an address of loopback"
        case .noParent: "parents: there is none: name the proxy that gets the requests"
        case .notLoopback(let address):
            "\(address): other machines could use the relay, which does not authenticate its clients: listen on loopback, or say "
                + "whose addresses are served"
        case .cannotListen(let address, let reason):
            "\(address): cannot listen (\(reason)): choose another address or port"
        }
    }
}
