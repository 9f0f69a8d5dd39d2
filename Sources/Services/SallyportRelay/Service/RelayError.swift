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
    /// Clients could authenticate themselves only with Basic in clear text.
    case cleartextClients(ListenAddress)
    /// Clients must bind their log-on to the TLS of the address, and cannot.
    case noChannelBinding(ListenAddress, reason: String)
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
            "\(address): other machines could use the relay with your account: listen on loopback, let clients authenticate "
                + "themselves, or say whose addresses are served"
        case .noCertificate(let address):
            "\(address): there is no certificate to show: give one, or leave https:// out"
        case .cleartextClients(let address):
            "\(address): everyone on the path would read the passwords of clients, which can only be sent with Basic: give it "
                + "https:// and a certificate, or offer another scheme"
        case .noChannelBinding(let address, let reason):
            "\(address): clients cannot bind their log-on (\(reason)): give it https:// and a certificate with RSA or ECDSA, or do "
                + "not require the binding"
        case .cannotListen(let address, let reason):
            "\(address): cannot listen (\(reason)): choose another address or port"
        }
    }
}
