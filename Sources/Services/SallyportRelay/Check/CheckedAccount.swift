internal import Credentials
internal import Sallyport
internal import Synchronization
internal import WireFormat

/// The last refusal of a check's own relay.
final class LastRefusal: Sendable {
    private let last = Mutex<RelayRefusal?>(nil)

    var value: RelayRefusal? { last.withLock { $0 } }

    @Sendable func note(_ refusal: RelayRefusal) { last.withLock { $0 = refusal } }
}

extension Account {
    /// Whose account it is, as a person writes it.
    var login: String {
        guard !credential.isTicket else { return "a ticket of Kerberos" }
        return VisibleText.name(domain.map { $0.isEmpty ? user : "\($0)\\\(user)" } ?? user)
    }

    /// Where its password came from.
    ///
    /// - Parameter supplier: who brought it; `nil` for the profile.
    func place(_ supplier: CredentialAsk.Source?) -> String {
        switch supplier {
        case .prompt: "typed at the terminal"
        case .store: "from the store"
        case .sources, .tokens, .trust: "from a source of the program"
        case nil: credential.isTicket ? user : "'\(name)' of the profile"
        }
    }
}
