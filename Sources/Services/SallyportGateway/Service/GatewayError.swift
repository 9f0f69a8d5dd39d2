/// Why a gateway does not listen.
public enum GatewayError: Error, Equatable, Sendable {
    /// The system refuses the address.
    case cannotListen(GatewayAddress, reason: String)
    /// The gateway starts or ends at this moment.
    case isChanging(GatewayAddress)
    /// Another program listens at the socket.
    case inUse(GatewayAddress)
    /// The socket at the path belongs to another user, so this one cannot see whether a program listens.
    case noAccess(GatewayAddress)
    /// The file at the path is not a socket. It is not removed.
    case noSocket(GatewayAddress)
}

extension GatewayError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .cannotListen(let address, let reason): "\(address): \(reason)"
        case .isChanging(let address): "\(address): the gateway starts or ends at this moment: wait for that"
        case .inUse(let address): "\(address): another program listens there: end it, or choose another path"
        case .noAccess(let address):
            "\(address): another user's socket lies there: remove it, or choose another path"
        case .noSocket(let address):
            "\(address): a file that is no socket lies there: remove it, or choose another path"
        }
    }
}
