internal import AllowedSites
public import Credentials
public import HTTPAuthentication
internal import Hostnames
public import NTLM
internal import SPKIPins
public import Secrets
internal import Synchronization

/// Decides about authentication challenges and answers them, under one security profile.
///
/// A handler does no I/O and may be used from many threads. For a changed profile make a new handler that succeeds the
/// old one, so that refused passwords stay known. A password can be replaced in the same handler.
public final class ChallengeHandler: Sendable {
    private static let lastNumber = Atomic<UInt64>(0)

    /// A number that no other handler of the process has.
    let number = ChallengeHandler.lastNumber.add(1, ordering: .relaxed).newValue
    /// The profile.
    public let compiled: CompiledProfile
    // Beside the profile, so that a refusal counts no references.
    let sites: SiteTrie
    private let accounts: ThreadLock<[PreparedAccount]>
    /// How often a password was replaced. What was looked up before the last time is looked up again.
    private let replacements = Atomic<Int>(0)
    /// How often a password was replaced: what a caller has derived from the accounts may be old when it changes.
    package var passwordReplacements: Int { replacements.load(ordering: .acquiring) }
    private let budgets: BudgetRegistry
    /// What parties have offered; kept by successors.
    let offers: OfferHistory
    /// Where passwords were accepted, for answers in advance.
    let memory = AnswerCache()
    /// The same with the accounts, where they do not depend on the path.
    let parties = KnownParties()
    /// Receives events; kept by successors.
    package let observer: EventObserver?

    /// Compiles a profile and makes a handler of it.
    ///
    /// - Parameters:
    ///   - profile: the rules for the handler.
    ///   - now: Unix time in seconds, to find expired pins; by default that of the system's clock.
    ///   - predecessor: the handler that this one replaces after a reload.
    /// - Complexity: linear in the profile; one NT hash an account.
    public convenience init(
        profile: SecurityProfile,
        at now: Int64 = FileTime.now.unixSeconds,
        succeeding predecessor: ChallengeHandler? = nil
    ) throws(ProfileError) {
        self.init(try CompiledProfile(profile, at: now), succeeding: predecessor)
    }

    /// Compiles a profile and makes a handler of it that passes events to `observer`, and so do its successors.
    public convenience init(
        profile: SecurityProfile,
        at now: Int64 = FileTime.now.unixSeconds,
        observer: EventObserver
    ) throws(ProfileError) {
        self.init(try CompiledProfile(profile, at: now), observer: observer)
    }

    /// Makes a handler of a compiled profile that passes events to `observer`, and so do its successors.
    public convenience init(_ compiled: CompiledProfile, observer: EventObserver) {
        self.init(compiled, clock: nil, observer: observer)
    }

    /// Makes a handler of a compiled profile.
    ///
    /// - Parameters:
    ///   - compiled: the profile.
    ///   - predecessor: the handler that this one replaces after a reload. A password that a place refused is not sent
    ///     there again, also if the new profile brings back an older one. The predecessor may finish its exchanges.
    public convenience init(
        _ compiled: CompiledProfile,
        succeeding predecessor: ChallengeHandler? = nil
    ) {
        self.init(compiled, succeeding: predecessor, clock: nil)
    }

    /// The same with a clock for the lock-out rules that the caller sets; `nil` for the system's.
    package init(
        _ compiled: CompiledProfile,
        succeeding predecessor: ChallengeHandler? = nil,
        clock: ManualClock?,
        observer: EventObserver? = nil
    ) {
        self.compiled = compiled
        sites = compiled.sites
        let observer = predecessor?.observer ?? observer
        self.observer = observer
        budgets = predecessor?.budgets ?? BudgetRegistry(clock: clock, report: observer.map { $0.reportOfLockout })
        offers = predecessor?.offers ?? OfferHistory()
        var prepared: [PreparedAccount] = []
        for keys in compiled.keys { prepared.append(Self.prepare(keys, compiled, budgets)) }
        accounts = ThreadLock(prepared)
        if let observer { observer.emit(.profile(summary)) }
    }

    /// The account that may answer the party of `request`; `nil` if none may.
    package func preparedAccount(for request: ChallengedRequest) -> PreparedAccount? {
        guard siteRefusal(request.origin, path: request.path) == nil else { return nil }
        return compiled.accounts.assignment(for: request.origin, path: request.path).map { preparedAccount(at: $0) }
    }

    /// What the party of `request` accepted, with the account; `nil` if it has to be looked up by ``preparedAccount(for:)``.
    ///
    /// The rules of a handler do not change. Where no path matters, one look-up by the party takes the place of two by origin and
    /// path.
    func knownParty(of request: ChallengedRequest) -> KnownParty? {
        parties.party(of: request, replacements: replacements.load(ordering: .acquiring))
    }

    /// The space of a token that goes out with the first request; `nil` if the account has none, or it may not go to the party.
    func firstSpace(of request: ChallengedRequest, _ prepared: PreparedAccount) -> KnownSpace? {
        guard prepared.assignment.sendsTokenFirst, let token = prepared.account.credential.token,
            let scheme = prepared.schemes.first(where: \.name.usesToken),
            cleartextRefusal(scheme, request.origin, prepared) == nil,
            !request.isThroughPlainProxy || prepared.assignment.allowsCleartext,
            // RFC 9449 is about servers.
            prepared.keys.bound == nil || request.party == .origin,
            let value = BearerExchange.value(of: token, named: scheme.name == .dpop ? "DPoP" : "Bearer")
        else { return nil }
        let bound = prepared.keys.bound
        let space = KnownSpace(first: value, of: scheme.name, party: request.party, bound: bound)
        remember(space, of: request, account: prepared.number)
        return space
    }

    /// Remembers what the party of `request` accepted from `prepared`.
    func remember(_ space: KnownSpace, of request: ChallengedRequest, account: UInt64) {
        let replacements = replacements.load(ordering: .acquiring)
        memory.remember(space, of: request, account: account)
        guard case .allowed? = sites.verdict(forAllPathsOf: request.origin),
            let index = compiled.accounts.assignment(forAllPathsOf: request.origin)
        else { return }
        let prepared = preparedAccount(at: index)
        // Another password may have taken the place of the accepted one.
        guard prepared.number == account else { return }
        parties.remember(KnownParty(request.origin, prepared, space, replacements: replacements), of: request)
    }

    /// The name of that account.
    func accountName(for request: ChallengedRequest) -> String { preparedAccount(for: request)?.account.name ?? "" }

    /// The account at `index` of the profile, with its current password.
    func preparedAccount(at index: Int) -> PreparedAccount {
        accounts.withLock { $0[index] }
    }

    /// The prepared accounts with their current passwords, in the order of the profile.
    func currentAccounts() -> [PreparedAccount] { accounts.withLock { $0 } }

    /// The accounts with their current passwords, in the order of the profile.
    package func currentAssignments() -> [AccountAssignment] { accounts.withLock { $0.map(\.assignment) } }

    /// The account `name` with its current password; `nil` if the profile has none.
    package func account(named name: String) -> Account? { prepared(name)?.account }

    /// The account that would answer in `space`; `nil` if no account may answer there.
    public func account(for space: ProtectionSpace) -> Account? {
        guard siteRefusal(space.origin, path: space.path) == nil else { return nil }
        return compiled.accounts.assignment(for: space.origin, path: space.path).map {
            preparedAccount(at: $0).account
        }
    }

    /// Whether the allowed sites cover the party of `request`: the first step of every decision.
    package func mayReceiveCredentials(_ request: ChallengedRequest) -> Bool {
        siteRefusal(request.origin, path: request.path) == nil
    }

    /// The account that would answer NTLM for `request`, in the form that the engine needs.
    package func ntlmAccount(for request: ChallengedRequest) -> NTLMAccount? {
        compiled.accounts.assignment(for: request.origin, path: request.path).flatMap { preparedAccount(at: $0).ntlm }
    }

    /// Replaces the password of the account `name`. Places that refused the old password may be tried again.
    ///
    /// A password that was refused before stays refused.
    public func updateUserCredentials(account name: String, password: SharedSecret) throws(ProfileError) {
        guard let current = prepared(name) else { throw .unknownAccount(name) }
        var assignment = current.assignment
        assignment.account = current.account.replacing(password: password)
        let keys = try AccountKeys(
            assignment,
            profileSchemes: compiled.schemes,
            available: compiled.available
        )
        let replaced = Self.prepare(keys, compiled, budgets)
        accounts.withLock { accounts in
            guard let index = accounts.firstIndex(where: { $0.account.name == name }) else { return }
            accounts[index] = replaced
        }
        replacements.add(1, ordering: .releasing)
        if let observer { observer.emit(.profile(summary)) }
    }

    /// Forgets all refusals of the account `name`: its password is right, or may be tried again.
    public func forgive(account name: String) throws(ProfileError) {
        guard let current = prepared(name) else { throw .unknownAccount(name) }
        budgets.forgive(current.account)
        if let observer { observer.emit(.forgiven(account: name)) }
    }

    /// Lets the party of `request` see the password of `account` once more, because a person has written it anew. For handlers that come after
    /// this one; other places, and the bounds for several of them, stay as they are.
    package func readmit(_ account: Account, to request: ChallengedRequest) {
        let budget = budgets.budget(for: account, rules: compiled.profile.lockout)
        PreparedAccount.readmit(account, budget, to: request)
    }

    package func prepared(_ name: String) -> PreparedAccount? {
        accounts.withLock { accounts in accounts.first { $0.account.name == name } }
    }

    private static func prepare(
        _ keys: AccountKeys,
        _ compiled: CompiledProfile,
        _ budgets: BudgetRegistry
    ) -> PreparedAccount {
        PreparedAccount(keys, budget: budgets.budget(for: keys.assignment.account, rules: compiled.profile.lockout))
    }
}
