internal import Credentials
internal import Crypto
internal import NTLM
internal import Secrets
internal import Synchronization

/// The budgets of all passwords that an account had, so that an old refused password stays refused when it comes back.
///
/// A password is remembered as a keyed digest. The key is random for each process and never leaves it.
final class AccountBudget: Sendable {
    private struct Remembered {
        let digest: HMAC<SHA256>.MAC
        let budget: PasswordBudget
    }

    /// The most passwords of one account that are remembered. Beyond it one without refusals is forgotten, or the oldest.
    static let maximumPasswords = 32
    private static let key = SymmetricKey(size: .bits256)

    private let passwords = Mutex<[Remembered]>([])

    /// The budget of the password of `account`.
    func budget(
        for account: Account,
        rules: LockoutRules,
        clock: ManualClock?,
        total: PlaceCount,
        report: LockoutReport? = nil
    ) -> PasswordBudget {
        let digest = Self.digest(of: account)
        return passwords.withLock { passwords in
            if let known = passwords.first(where: { $0.digest == digest }) {
                known.budget.update(rules)
                return known.budget
            }
            if passwords.count == Self.maximumPasswords {
                passwords.remove(at: passwords.firstIndex { !$0.budget.hasRefusals } ?? 0)
            }
            let isShared = account.isOfDirectory
            let budget = PasswordBudget(
                isShared: isShared,
                rules: rules,
                clock: clock,
                total: total,
                reporter: report.map { PasswordBudget.Reporter(account: account.name, report: $0) }
            )
            passwords.append(Remembered(digest: digest, budget: budget))
            return budget
        }
    }

    /// Whether a password of the account was refused and not forgiven.
    var hasRefusals: Bool { passwords.withLock { $0.contains { $0.budget.hasRefusals } } }

    /// Forgets the refusals of all passwords.
    func forgive() {
        for remembered in passwords.withLock({ $0 }) { remembered.budget.forgive() }
    }

    /// A digest of everything that a server sees of the account. Each part has its length before it, so that two
    /// accounts never have the same input.
    ///
    /// A directory counts a wrong password and its NT hash alike, in every form of the user name, so for its accounts the
    /// digest covers the NT hash alone.
    private static func digest(of account: Account) -> HMAC<SHA256>.MAC {
        var authentication = HMAC<SHA256>(key: key)
        if account.isOfDirectory, let hash = account.credential.ntHash {
            hash.withBytes { bytes in
                // In bounds: the buffer is the span's own.
                unsafe bytes.withUnsafeBytes { unsafe authentication.update(data: $0) }
            }
            return authentication.finalize()
        }
        for part in [account.credential.kind, account.user, account.domain ?? "", account.qualifiedUser] {
            authentication.update(data: [UInt8]("\(part.utf8.count):\(part)".utf8))
        }
        account.credential.secret?.withBytes { secret in
            // In bounds: the buffer is the span's own.
            unsafe secret.withUnsafeBytes { unsafe authentication.update(data: $0) }
        }
        return authentication.finalize()
    }
}

extension Credential {
    /// The NT hash of a password, or the hash itself; `nil` for others, and for a password that has none.
    fileprivate var ntHash: NTHash? {
        switch self {
        case .password(let password):
            password.withBytes { bytes in try? NTHash(utf8: bytes) }
        case .ntHash(let secret):
            secret.withBytes { bytes in try? NTHash(hash: bytes) }
        case .token, .ticket, .identity: nil
        }
    }
}
