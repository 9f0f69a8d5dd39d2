internal import Hostnames
package import NIOCore

/// The other end of a connection, as those who count wrong passwords see it.
package enum PeerAddress {
    /// What `ClientAuthenticator` takes for the address of a peer: the address without its port. All programs of this machine have the same one,
    /// so that one user would lock all others out: for a peer of this machine it is the user who opened the socket, if the system says.
    ///
    /// - Parameters:
    ///   - peer: the client's end.
    ///   - local: our end.
    ///   - owner: finds the user; called for a peer of this machine alone. It may cost a system call.
    /// - Returns: `nil` for a peer without an address.
    package static func guessAddress(
        of peer: SocketAddress?,
        at local: SocketAddress?,
        owner: (SocketAddress, SocketAddress) -> UInt32? = { SocketOwner.find(peer: $0, local: $1) }
    ) -> String? {
        guard let peer, let address = peer.ipAddress else { return nil }
        guard let local, isOfThisMachine(peer, local), let owner = owner(peer, local) else { return address }
        return "uid \(owner)"
    }

    /// Whether the peer has an address of loopback, or the same one as our end.
    private static func isOfThisMachine(_ peer: SocketAddress, _ local: SocketAddress) -> Bool {
        guard let host = Hostname(peer) else { return false }
        return host.isLoopback || host == Hostname(local)
    }
}
