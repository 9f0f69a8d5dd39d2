internal import Credentials
internal import NTLM
internal import Secrets

/// An account with what the schemes need of it. The NT hash is computed once, here.
struct AccountKeys: Sendable {
    let assignment: AccountAssignment
    /// The schemes that the account may use and can answer, in order of preference.
    let schemes: [AnswerableScheme]
    /// What the schemes need of the account.
    let forSchemes: SchemeAccount
    /// The token that goes along; `nil` for an account that answers challenges.
    let placed: PlacedToken?
    /// The token with its proofs; `nil` for an account without one that is bound to a key.
    let bound: BoundToken?

    /// - Parameters:
    ///   - profileSchemes: the schemes of the profile, which count if the assignment has none.
    ///   - available: all schemes that exist.
    init(
        _ assignment: AccountAssignment,
        profileSchemes: [AnswerableScheme],
        available: [AnswerableScheme]
    ) throws(ProfileError) {
        let account = assignment.account
        if let backslash = account.user.firstIndex(of: "\\"), let domain = account.domain {
            guard backslash > account.user.startIndex else {
                throw .backslashes(account: account.name, user: "\(domain)\\\(account.user)")
            }
            throw .domainTwice(account: account.name, user: String(account.user[..<backslash]))
        }
        forSchemes = SchemeAccount(
            account: account,
            ntlm: try Self.ntlmAccount(account),
            digest: assignment.digest,
            negotiate: assignment.negotiate
        )
        self.assignment = assignment
        if let prover = assignment.prover {
            guard assignment.placement == nil else { throw .invalidPlacement(account: account.name, .boundToken) }
            guard let token = account.credential.token else {
                throw .noSchemeForCredential(account: account.name, kind: account.credential.kind)
            }
            // As a bearer token it would be of use to everyone who reads it, so no other scheme answers.
            (placed, bound, schemes) = (nil, BoundToken(token, prover), [.dpop])
            return
        }
        bound = nil
        if let placement = assignment.placement {
            (placed, schemes) = (try Self.placed(account, placement), [])
            return
        }
        placed = nil
        var allowed = profileSchemes
        if let own = assignment.schemes { allowed = try AnswerableScheme.resolve(own, in: available) }
        schemes = allowed.filter { $0.canUse(account.credential) }
        guard !schemes.isEmpty else {
            throw .noSchemeForCredential(account: account.name, kind: account.credential.kind)
        }
    }

    private static func placed(_ account: Account, _ placement: TokenPlacement) throws(ProfileError) -> PlacedToken {
        do throws(TokenPlacement.Defect) {
            guard let token = account.credential.token else { throw .noToken }
            return try PlacedToken(token, placement, of: account.name)
        } catch {
            throw .invalidPlacement(account: account.name, error)
        }
    }

    private static func ntlmAccount(_ account: Account) throws(ProfileError) -> NTLMAccount? {
        let hash: NTHash
        do throws(NTLMKeyError) {
            switch account.credential {
            case .password(let password):
                hash = try password.withBytes { bytes throws(NTLMKeyError) in try NTHash(utf8: bytes) }
            case .ntHash(let secret):
                hash = try secret.withBytes { bytes throws(NTLMKeyError) in try NTHash(hash: bytes) }
            case .token, .ticket, .identity: return nil
            }
        } catch {
            throw .invalidPassword(account: account.name, error)
        }
        do throws(AccountError) {
            return try NTLMAccount(user: account.user, domain: account.domain, hash: hash)
        } catch {
            throw .invalidAccount(account: account.name, error)
        }
    }
}
