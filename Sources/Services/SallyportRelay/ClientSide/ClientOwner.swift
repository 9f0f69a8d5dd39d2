internal import NIOCore
internal import SallyportNIO

/// The user whose program has the other end of a connection. The system is asked once.
enum ClientOwner {
    case notAsked
    /// What the system said: `nil` if it does not know.
    case asked(UInt32?)

    mutating func find(_ peer: SocketAddress, _ local: SocketAddress) -> UInt32? {
        if case .asked(let known) = self { return known }
        let found = SocketOwner.find(peer: peer, local: local)
        self = .asked(found)
        return found
    }
}
