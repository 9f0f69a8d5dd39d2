internal import AllowedSites
public import Credentials
internal import HTTPAuthentication
internal import Hostnames
package import NTLM
internal import SPKIPins
public import Secrets
internal import Synchronization

/// Decides about authentication challenges and answers them, under one security profile.
///
/// A handler does no I/O and may be used from many threads. For a changed profile make a new handler that succeeds the
/// old one, so that refused passwords stay known. A password can be replaced in the same handler, because a new
/// password resets the lock-out budget.
public final class ChallengeHandler: Sendable {
    /// An account in the form that the engines need. The NT hash is computed once, here. A class, so that a decision
    /// copies one reference.
    final class PreparedAccount: Sendable {
        let account: Account
        let ntlm: NTLMAccount
        /// Shared with the account of the same name in earlier and later handlers.
        let budget: LockoutBudget
        /// The number of this password in the budget.
        let version: UInt64

        init(account: Account, ntlm: NTLMAccount, budget: LockoutBudget, version: UInt64) {
            self.account = account
            self.ntlm = ntlm
            self.budget = budget
            self.version = version
        }
    }

    let sites: SiteTrie
    let schemes: [AuthenticationScheme]
    let accountTable: AssignmentTable
    let identityTable: AssignmentTable
    let identities: [PreparedIdentity]
    /// `nil` if the profile has no pins.
    let pins: PinPolicy?
    private let accounts: Mutex<[PreparedAccount]>

    /// Compiles a profile.
    ///
    /// - Parameters:
    ///   - profile: the rules for the handler.
    ///   - now: Unix time in seconds; a profile with expired pins is refused.
    ///   - predecessor: the handler that this one replaces after a reload. Accounts with equal names are the same
    ///     account; a refused password is not sent again unless password, user or domain changed. The predecessor may
    ///     finish its exchanges, but do not update its passwords any more.
    /// - Complexity: linear in the profile; one NT hash an account.
    public init(
        profile: SecurityProfile,
        at now: Int64,
        succeeding predecessor: ChallengeHandler? = nil
    ) throws(ProfileError) {
        try Self.checkNames(profile.accounts.map(\.value.name))
        try Self.checkNames(profile.identities.map(\.value.name))
        try Self.checkSchemes(profile.schemes)
        sites = SiteTrie(compiling: profile.sites)
        schemes = profile.schemes
        accountTable = try AssignmentTable(sites: profile.accounts.map(\.sites)) { profile.accounts[$0].value.name }
        identityTable = try AssignmentTable(sites: profile.identities.map(\.sites)) {
            profile.identities[$0].value.name
        }
        var prepared: [PreparedAccount] = []
        let earlier = predecessor?.accounts.withLock { $0 } ?? []
        for assignment in profile.accounts {
            prepared.append(
                try Self.prepare(assignment.value, after: earlier.first { $0.account.name == assignment.value.name })
            )
        }
        accounts = Mutex(prepared)
        var identities: [PreparedIdentity] = []
        for assignment in profile.identities { identities.append(try PreparedIdentity(assignment.value)) }
        self.identities = identities
        do throws(PinPolicyError) {
            pins =
                profile.pins.isEmpty
                ? nil : try PinPolicy(compiling: profile.pins, version: profile.version, at: now)
        } catch {
            throw .pins(error)
        }
    }

    /// The account at `index` of the profile, with its current password.
    func preparedAccount(at index: Int) -> PreparedAccount {
        accounts.withLock { $0[index] }
    }

    /// The account that would answer at `origin`, or `nil`.
    public func account(for location: ProtectionSpace) -> Account? {
        accountTable.assignment(for: location.origin, path: location.path).map { preparedAccount(at: $0).account }
    }

    /// Whether the allowed sites cover the party of `request`: the first step of every decision.
    package func mayReceiveCredentials(_ request: ChallengedRequest) -> Bool {
        siteRefusal(request.origin, path: request.path) == nil
    }

    /// The account that would answer NTLM for `request`, in the form that the engine needs.
    package func ntlmAccount(for request: ChallengedRequest) -> NTLMAccount? {
        accountTable.assignment(for: request.origin, path: request.path).map { preparedAccount(at: $0).ntlm }
    }

    /// Replaces the password of the account `name`. Places that refused the old password may be tried again.
    ///
    /// The same password again has no effect, and refusals stay.
    public func updateUserCredentials(account name: String, password: SharedSecret) throws(ProfileError) {
        let current = accounts.withLock { accounts in accounts.first { $0.account.name == name } }
        guard let current else { throw .unknownAccount(name) }
        let replaced = try Self.prepare(current.account.replacing(password: password), after: current)
        accounts.withLock { accounts in
            guard let index = accounts.firstIndex(where: { $0.account.name == name }),
                // Of two concurrent updates the one with the higher number wins.
                accounts[index].version < replaced.version
            else { return }
            accounts[index] = replaced
        }
    }

    private static func prepare(
        _ account: Account,
        after earlier: PreparedAccount? = nil
    ) throws(ProfileError) -> PreparedAccount {
        let hash: NTHash
        do throws(NTLMKeyError) {
            hash = try account.password.withBytes { password throws(NTLMKeyError) in try NTHash(utf8: password) }
        } catch {
            throw .invalidPassword(account: account.name, error)
        }
        let ntlm: NTLMAccount
        do throws(AccountError) {
            ntlm = try NTLMAccount(user: account.user, domain: account.domain ?? "", hash: hash)
        } catch {
            throw .invalidAccount(account: account.name, error)
        }
        guard let earlier else {
            return PreparedAccount(account: account, ntlm: ntlm, budget: LockoutBudget(), version: 0)
        }
        let isSame = account.sendsTheSame(as: earlier.account)
        let version = isSame ? earlier.version : earlier.budget.nextVersion()
        return PreparedAccount(account: account, ntlm: ntlm, budget: earlier.budget, version: version)
    }

    private static func checkNames(_ names: [String]) throws(ProfileError) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted { throw .duplicateName(name) }
    }

    private static func checkSchemes(_ schemes: [AuthenticationScheme]) throws(ProfileError) {
        var seen: Set<AuthenticationScheme> = []
        for scheme in schemes {
            guard AuthenticationScheme.answerable.contains(scheme) else { throw .schemeNotAnswerable(scheme) }
            guard seen.insert(scheme).inserted else { throw .duplicateScheme(scheme) }
        }
    }
}

extension Account {
    /// Whether both accounts send the same user, domain and password, so that a refusal of one counts for the other.
    fileprivate func sendsTheSame(as other: Account) -> Bool {
        // Bytes are compared, because bytes are sent: `String` would treat canonically equivalent names as equal.
        guard user.utf8.elementsEqual(other.user.utf8),
            domain.map({ Array($0.utf8) }) == other.domain.map({ Array($0.utf8) }),
            qualifiedUser.utf8.elementsEqual(other.qualifiedUser.utf8)
        else { return false }
        return password.withBytes { mine in other.password.withBytes { constantTimeEqual(mine, $0) } }
    }
}
