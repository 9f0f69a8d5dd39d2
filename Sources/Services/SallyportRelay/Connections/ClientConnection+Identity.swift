internal import Hostnames
internal import NIOCore

extension ClientConnection {
    /// Finds the accounts that answer for the client.
    ///
    /// - Returns: `false` if the request was refused, because its owner would decide and is not known.
    func chooseAccounts(_ identities: IdentityChoice) -> Bool {
        if identities.needsOwner, !knowsOwner {
            knowsOwner = true
            guard let peer = context?.channel.remoteAddress, let local = context?.channel.localAddress else {
                return false
            }
            if let host = Hostname(peer), host.isLoopback {
                owner = SocketOwner.find(peer: peer, local: local)
                guard owner != nil else {
                    refuse(.unknownOwner)
                    return false
                }
            }
        }
        let found = identities.accounts(for: logOn?.client, owner: owner, at: listener.address)
        accounts = found ?? loop.core.accounts
        return true
    }
}
