internal import ServiceSockets

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
    /// Clients that speak no HTTP speak no TLS to the relay either.
    case secureTunnel(ListenAddress)
    /// Clients of the address speak no HTTP, and cannot log on as the settings demand it of all clients.
    case noLogOn(ListenAddress, LogOnGap)
    /// The system does not let the relay listen there.
    case cannotListen(ListenAddress, reason: String)

    /// Why clients cannot log on.
    public enum LogOnGap: Equatable, Sendable {
        /// All that they send is for the server of a tunnel.
        case opaque
        /// SOCKS sends a user and a password, and the settings take none: they have no Basic.
        case noPassword
        /// Everyone on the path would read the password.
        case cleartext
    }
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
        case .secureTunnel(let address):
            "\(address): clients of tunnels and of SOCKS speak no TLS to the relay: leave https:// out"
        case .noLogOn(let address, .opaque):
            "\(address): clients of a tunnel to a fixed server cannot log on, which this relay demands of all clients: start another "
                + "relay for the tunnel, without accounts of clients"
        case .noLogOn(let address, .noPassword):
            "\(address): clients of SOCKS log on with a password alone, and this relay takes none: add accounts with passwords, or start "
                + "another relay for SOCKS, without accounts of clients"
        case .noLogOn(let address, .cleartext):
            "\(address): SOCKS sends the passwords of clients in clear text, which everyone on the path reads: listen for SOCKS on "
                + "loopback, or start another relay for it, without accounts of clients"
        case .cannotListen(let address, let reason):
            "\(address): cannot listen (\(reason)): choose another address or port"
        }
    }
}
