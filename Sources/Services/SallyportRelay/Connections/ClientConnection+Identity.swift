internal import Hostnames
internal import NIOCore
internal import SallyportNIO

extension ClientConnection {
    /// Finds the accounts that answer for the client.
    ///
    /// - Returns: `false` if the request was refused, because its owner would decide and is not known.
    func chooseAccounts(_ identities: IdentityChoice) -> Bool {
        var user: UInt32?
        if identities.needsOwner {
            guard let peer = context?.channel.remoteAddress, let local = context?.channel.localAddress else {
                refuse(.unknownOwner)
                return false
            }
            if Hostname(peer)?.isLoopback == true {
                user = findOwner(peer, local)
                guard user != nil else {
                    refuse(.unknownOwner)
                    return false
                }
            }
        }
        let found = identities.accounts(for: logOn?.client, owner: user, at: listener.address)
        accounts = found ?? loop.core.accounts
        return true
    }

    /// What wrong passwords of the client are counted by.
    var guessAddress: String? {
        PeerAddress.guessAddress(
            of: context?.channel.remoteAddress,
            at: context?.channel.localAddress,
            owner: findOwner
        )
    }

    /// The user whose program has the other end of the connection. The system is asked once.
    private func findOwner(_ peer: SocketAddress, _ local: SocketAddress) -> UInt32? {
        if case .asked(let known) = owner { return known }
        let found = SocketOwner.find(peer: peer, local: local)
        owner = .asked(found)
        return found
    }
}
