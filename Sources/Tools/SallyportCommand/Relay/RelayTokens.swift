internal import CredentialStores
internal import ProfileFiles
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO

/// Where a relay gets the tokens of its profile's accounts with `oauth` or `arcgis`, and where they lie.
struct RelayTokens: Sendable {
    private let current: CurrentHandler
    /// `nil` if the tokens need a store that is not open.
    private let store: (any CredentialStore)?
    /// Presents client certificates to services that ask for them.
    private let tls: TLSSettings

    /// - Parameters:
    ///   - store: the sealed store, if it is open.
    ///   - keepsNothing: whether tokens are forgotten with the relay.
    ///   - identities: the client certificates.
    ///   - lists: revoked certificates of services.
    init(
        _ current: CurrentHandler,
        _ store: (any CredentialStore)?,
        keepsNothing: Bool,
        _ identities: CommandIdentities,
        _ lists: RevocationLists
    ) {
        self.current = current
        var tls = TLSSettings()
        tls.revocationLists = lists
        identities.addKeys(to: &tls)
        self.tls = tls
        self.store = store ?? (keepsNothing ? MemoryCredentialStore() : nil)
    }

    /// The places of the accounts, with their sources.
    func places(of accounts: [TokenAccount]) throws -> [AccountPlace] {
        guard !accounts.isEmpty else { return [] }
        // Its passphrase is asked for at the start only.
        let store = store ?? (accounts.contains(where: \.needsStore) ? nil : MemoryCredentialStore())
        guard let store else { throw RelayProblem.tokens }
        let service = try TokenService(tls: TLSConnector(tls, current))
        return TokenAccounts(
            accounts: accounts,
            known: accounts,
            service: service,
            store: Once { store },
            current: current
        ).places
    }
}
