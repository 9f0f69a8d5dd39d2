/// Why a gateway does not listen.
public enum GatewayError: Error, Equatable, Sendable {
    /// The system refuses the address.
    case cannotListen(GatewayAddress, reason: String)
    /// Another program listens at the socket.
    case inUse(GatewayAddress)
    /// A socket lies at the path that this user may not use, so that nobody can tell whether a program listens.
    case noAccess(GatewayAddress)
    /// What lies at the path is no socket, and is left alone.
    case noSocket(GatewayAddress)
}

extension GatewayError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .cannotListen(let address, let reason): "\(address): \(reason)"
        case .inUse(let address): "\(address): another program listens there: end it, or choose another path"
        case .noAccess(let address):
            "\(address): another user's socket lies there: remove it, or choose another path"
        case .noSocket(let address):
            "\(address): a file that is no socket lies there: remove it, or choose another path"
        }
    }
}
