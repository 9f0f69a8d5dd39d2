/// Why the relay cannot serve what a client of SOCKS sends.
enum SOCKSClientDefect: Error, Equatable {
    case version4
    /// The first byte is of another protocol.
    case notSOCKS
    /// The client offers no connection without a log-on, and the relay knows no log-ons.
    case noOpenMethod
    /// The client offers no user and password, and the relay demands them.
    case noPassword
    /// A message is not of the form of RFC 1928 or RFC 1929.
    case malformed
    /// BIND or UDP ASSOCIATE.
    case command
    /// Neither an IPv4 nor an IPv6 address nor a name.
    case addressType
    /// The name of the server is not one of a host.
    case host
    /// The messages do not come to an end.
    case stalled
}

extension SOCKSClientDefect: CustomStringConvertible {
    /// The problem and the remedy.
    var description: String {
        switch self {
        case .version4: "it speaks SOCKS version 4: let it use version 5 (socks5h://)"
        case .notSOCKS:
            "it does not speak SOCKS, and this address takes nothing else: use the relay's other address as an HTTP proxy"
        case .noOpenMethod:
            "it wants to log on to SOCKS, and the relay has no accounts of clients: leave user and password out"
        case .noPassword: "this relay demands authentication: give SOCKS your user and password for it"
        case .malformed: "it sends a message that is not of SOCKS version 5: correct the client"
        case .command: "it asks SOCKS for another command than CONNECT: the relay opens connections only"
        case .addressType: "it names the server neither by an address nor by a name: correct the client"
        case .host: "it asks SOCKS for a server whose name is not one of a host, or for port 0: correct the client"
        case .stalled: "it did not end the messages of SOCKS in time: check the client"
        }
    }
}
