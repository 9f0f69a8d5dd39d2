public import ChallengeHandling
public import CredentialSources
public import CredentialStores
public import Credentials
internal import HTTPAuthentication
internal import Hostnames
internal import Synchronization
internal import Waiting
internal import WireFormat

/// Brings the credentials that a profile does not have: from a store, from sources, or from a prompt.
///
/// It is the layer above a handler that may wait. Give one to a client; the client repeats a request for which it finds a
/// credential. Equal questions that wait share one reply, and one prompt is visible at a time.
///
/// ```swift
/// let authenticator = Authenticator(CurrentHandler(handler), prompt: TerminalPrompt(), store: store)
/// let client = AuthenticatedClient(authenticator)
/// ```
public final class Authenticator: Sendable {
    /// The identities of the user, with the sites for each.
    public typealias IdentitySource = @Sendable () async throws -> [SecurityProfile.Assignment<ClientIdentity>]
    /// Decides about a server that no authority vouches for, for example by showing a person the pin of its key.
    public typealias ServerTrustSource = @Sendable (UntrustedServer) async throws -> ServerTrustReply

    /// Chooses one of several client identities for a server, for example by showing them to a person.
    public typealias IdentityChooser = @Sendable (IdentityQuestion) async throws -> IdentityReply

    /// A question, and what makes two of them one.
    struct Asked: Sendable {
        /// Requests that need the same credential have the same key.
        struct Key: Hashable, Sendable {
            let party: CredentialQuestion.Party
            let origin: Origin
            let realm: String?
            let place: String
            /// The account whose password was refused.
            let account: String?
            let passwordNumber: UInt64?
            /// Whether the store is read and no one is asked.
            var isForStoreOnly = false
        }

        let question: CredentialQuestion
        let key: Key
    }

    /// The place of a set of places whose source is asked.
    struct TokenCall: Hashable, Sendable {
        let place: String
        let era: UInt64
    }

    /// What a whole application waits for once.
    enum Update: Hashable, Sendable {
        case certificates
    }

    /// The handler in use, which the authenticator replaces for new credentials.
    public let current: CurrentHandler
    let options: AuthenticatorOptions
    let sources: SourceChain
    let hasSources: Bool
    private let tokenSources: Atomic<Bool>
    private let knownPlaces: Mutex<KnownPlaces>
    private let eras = Atomic<UInt64>(0)
    let prompt: (any CredentialSource)?
    let store: (any CredentialStore)?
    let identities: IdentitySource?
    /// Asked about servers that are not trusted; `nil` if such servers are refused.
    let serverTrust: ServerTrustSource?
    /// Asked which of several identities a server gets; `nil` if such a handshake ends with an error.
    let identityChoice: IdentityChooser?
    let clock: @Sendable () -> Int64
    let calls = SharedCalls<Asked.Key, AuthenticatorAdvice>()
    let tokenCalls = SharedCalls<TokenCall, Bool>()
    let updates = SharedCalls<Update, Void>()
    let trustCalls = SharedCalls<AuthenticatorState.ServerKey, AuthenticatorAdvice>()
    let identityCalls = SharedCalls<AuthenticatorState.IdentityKey, AuthenticatorAdvice>()
    let turns = Turns()
    let state = Mutex(AuthenticatorState())

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - current: the handler in use.
    ///   - sources: asked in this order, before the prompt; equal questions once, others at the same time.
    ///   - prompt: asked last, one question at a time, because a person sees it.
    ///   - store: asked first, and gets what a source lets it keep, once a server has accepted it.
    ///   - identities: brings client identities for ``fetchNewCertificates()``.
    ///   - serverTrust: asked about servers that are not trusted, one at a time; `nil` refuses them.
    ///   - identityChoice: asked which of several identities a server gets, one question at a time.
    ///   - options: the bounds, and the places of accounts.
    /// - Throws: `ProfileError` if a rule of a place cannot be read, or two places have one rule.
    public convenience init(
        _ current: CurrentHandler,
        sources: [any CredentialSource] = [],
        prompt: (any CredentialSource)? = nil,
        store: (any CredentialStore)? = nil,
        identities: IdentitySource? = nil,
        serverTrust: ServerTrustSource? = nil,
        identityChoice: IdentityChooser? = nil,
        options: AuthenticatorOptions = AuthenticatorOptions()
    ) throws(ProfileError) {
        try self.init(
            current,
            sources: sources,
            prompt: prompt,
            store: store,
            identities: identities,
            serverTrust: serverTrust,
            identityChoice: identityChoice,
            options: options,
            clock: { SystemClock.unixSeconds }
        )
    }

    init(
        _ current: CurrentHandler,
        sources: [any CredentialSource],
        prompt: (any CredentialSource)?,
        store: (any CredentialStore)?,
        identities: IdentitySource?,
        serverTrust: ServerTrustSource? = nil,
        identityChoice: IdentityChooser? = nil,
        options: AuthenticatorOptions,
        clock: @escaping @Sendable () -> Int64
    ) throws(ProfileError) {
        self.current = current
        self.sources = SourceChain(sources)
        hasSources = !sources.isEmpty
        self.prompt = prompt
        self.store = store
        self.identities = identities
        self.serverTrust = serverTrust
        self.identityChoice = identityChoice
        self.options = options
        self.clock = clock
        let places = try KnownPlaces(options.places, era: 0)
        tokenSources = Atomic(places.hasTokenSources)
        knownPlaces = Mutex(places)
    }

    deinit {
        calls.cancelAll()
        tokenCalls.cancelAll()
        trustCalls.cancelAll()
        identityCalls.cancelAll()
        state.withLock { $0.cancelExpiries() }
    }

    /// Whether a place has a token source, so that ``prepare(_:by:)`` may wait.
    package var hasTokenSources: Bool { tokenSources.load(ordering: .acquiring) }

    /// The places in use.
    var places: KnownPlaces { knownPlaces.withLock { $0 } }

    /// Whether a challenge in `space` would be handled: now, or after a source was asked.
    ///
    /// A place with a token source handles offers of tokens, and asks for no password.
    public func canHandle(_ space: ProtectionSpace) -> Bool {
        let verdict = current.handler.canHandle(space)
        if verdict == .yes { return true }
        guard case .http(let offered, _) = space.kind else { return false }
        if tokenPlace(at: space.origin, path: space.path) != nil { return offered.contains(where: \.usesToken) }
        return switch verdict {
        case .no(.noCredential), .no(.budgetSpent): prompt != nil || store != nil || hasSources
        case .yes, .no: false
        }
    }

    /// The names of the accounts in use, without what proves them.
    public var accounts: [AccountNames] { current.handler.currentAssignments().map { AccountNames($0.account) } }

    /// Forgets all refusals of an account: its password is right, or may be tried again.
    public func forgive(account name: String) throws(ProfileError) { try current.handler.forgive(account: name) }

    /// Puts another profile into use. Accounts that came from sources stay if the new profile has no account of their name. Keys of
    /// servers that were trusted on a question stay trusted, and identities that a person has chosen stay chosen.
    ///
    /// - Parameters:
    ///   - compiled: the profile.
    ///   - places: the places of accounts from now on; `nil` for those in use. With other places each token comes from its source again,
    ///     and accounts of places that are gone leave the profile. Their tokens are not taken back at their services.
    /// - Returns: the handler of the profile.
    /// - Throws: `ProfileError` if a rule of a place cannot be read, or an account that stays clashes with the profile. Nothing has changed then.
    @discardableResult
    public func reload(_ compiled: CompiledProfile, places: [AccountPlace]? = nil) throws(ProfileError)
        -> ChallengeHandler
    {
        // Before the profile changes, so that nothing is installed for an older place after that. An error puts the old ones back.
        let old = self.places
        let new = try places.map { (places) throws(ProfileError) in try KnownPlaces(places, era: nextEra()) }
        if let new { replacePlaces(with: new) }
        let named = Set(compiled.profile.accounts.map(\.account.name))
        let (kept, gone, trusted, chosen) = state.withLock { state in
            let kept = state.kept(besides: named, from: old, to: new)
            let gone = Set(state.supplied.keys).union(state.tokens.keys).subtracting(kept)
            return (kept, gone, state.trusted, state.chosen)
        }
        let handler: ChallengeHandler
        do throws(ProfileError) {
            handler = try current.replace(with: compiled, at: clock(), trusting: trusted, choosing: chosen) {
                kept.contains($0.account.name)
            }
        } catch {
            if new != nil { replacePlaces(with: old) }
            throw error
        }
        state.withLock { $0.forget(gone, before: new) }
        return handler
    }

    private func nextEra() -> UInt64 { eras.add(1, ordering: .relaxed).newValue }

    private func replacePlaces(with places: KnownPlaces) {
        knownPlaces.withLock { $0 = places }
        tokenSources.store(places.hasTokenSources, ordering: .releasing)
    }

    /// Receives the events of the handlers; `nil` without an observer.
    var observer: EventObserver? { current.handler.observer }

    /// Registers who closes connections after a sign-out and after new certificates. One that returns false is forgotten.
    package func onChange(_ close: @escaping @Sendable () -> Bool) { state.withLock { $0.closers.append(close) } }

    /// Closes the connections that no request uses.
    func closeConnections() {
        // Without the lock: a client may take locks of its own.
        let closers = state.withLock { state in
            defer { state.closers = [] }
            return state.closers
        }
        let alive = closers.filter { $0() }
        state.withLock { $0.closers += alive }
    }
}
