public import Hostnames

/// Why a relay does not run.
public enum RelayError: Error, Equatable, Sendable {
    /// The settings name no address.
    case noListener
    /// The settings name no proxy.
    case noParent
    /// Other machines could reach the address.
    case notLoopback(ListenAddress)
    /// Clients speak TLS to the address, and the settings have no certificate.
    case noCertificate(ListenAddress)
    /// Servers are reached over TLS, and the relay has no TLS.
    case noTLS(Origin)
    /// The system does not let the relay listen there.
    case cannotListen(ListenAddress, reason: String)
}

extension RelayError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .noListener: "listeners: there is none: name an address of loopback, or map one to a server"
        case .noParent: "parents: there is none: name the proxy that gets the requests"
        case .notLoopback(let address):
            "\(address): other machines could use the relay, which does not authenticate its clients: listen on loopback, or say "
                + "whose addresses are served"
        case .noCertificate(let address):
            "\(address): there is no certificate to show: give one, or leave https:// out"
        case .noTLS(let origin): "\(origin): the relay has no TLS to reach it: give it a TLSConnector"
        case .cannotListen(let address, let reason):
            "\(address): cannot listen (\(reason)): choose another address or port"
        }
    }
}
