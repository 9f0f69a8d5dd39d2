internal import ClientAuthentication
internal import Sallyport
internal import ServiceSockets

/// Accounts that answer for a client: those of one identity, or those of all clients without one.
final class AnsweringAccounts: Sendable {
    let current: CurrentHandler
    /// Brings missing passwords; `nil` if the profile has them all.
    let authenticator: Authenticator?

    init(_ current: CurrentHandler, _ authenticator: Authenticator?) {
        (self.current, self.authenticator) = (current, authenticator)
    }
}

/// Finds the identity of a client.
struct ClientIdentification: Sendable {
    private var byAccount: [String: AnsweringAccounts] = [:]
    private var byOwner: [UInt32: AnsweringAccounts] = [:]
    private var byListener: [ListenAddress: AnsweringAccounts] = [:]

    /// `nil` without identities. Of two identities with one client the first counts.
    ///
    /// - Parameter directory: says which account a name means, because clients have its names.
    init?(_ identities: [RelayIdentity], _ directory: (any ClientDirectory)?) {
        guard !identities.isEmpty else { return nil }
        for identity in identities {
            let accounts = AnsweringAccounts(identity.current, nil)
            for client in identity.clients {
                switch client {
                case .account(let name):
                    let key = Self.key(directory?.canonical(name) ?? name)
                    byAccount[key] = byAccount[key] ?? accounts
                case .owner(let owner): byOwner[owner] = byOwner[owner] ?? accounts
                case .listener(let address): byListener[address] = byListener[address] ?? accounts
                }
            }
        }
    }

    private static func key(_ name: ClientName) -> String { "\(name)".lowercased() }

    /// Whether the owner of a connection matters.
    var needsOwner: Bool { !byOwner.isEmpty }

    /// The accounts for a client; `nil` if no identity has it.
    func accounts(for client: AuthenticatedClientName?, owner: UInt32?, at listener: ListenAddress)
        -> AnsweringAccounts?
    {
        client.flatMap { byAccount[Self.key($0.name)] } ?? owner.flatMap { byOwner[$0] } ?? byListener[listener]
    }
}
