internal import Credentials
internal import NTLM
internal import Secrets
internal import Synchronization

/// The budgets of all passwords that an account had, so that an old refused password stays refused when it comes back.
///
/// A password is remembered as a keyed digest. The key is random for each process and never leaves it.
final class AccountBudget: Sendable {
    private struct Remembered {
        let digest: [UInt8]
        let budget: PasswordBudget
    }

    /// The most passwords of one account that are remembered. Beyond it one without refusals is forgotten, or the oldest.
    static let maximumPasswords = 32
    private static let key = SharedSecret.random()

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
            if let known = passwords.first(where: { constantTimeEqual($0.digest.span, digest.span) }) {
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
    private static func digest(of account: Account) -> [UInt8] {
        if account.isOfDirectory, let hash = account.credential.ntHash {
            return hash.withBytes { bytes in code(of: bytes) }
        }
        var names: [UInt8] = []
        for part in [account.credential.kind, account.user, account.domain ?? "", account.qualifiedUser] {
            names += "\(part.utf8.count):\(part)".utf8
        }
        guard let secret = account.credential.secret else { return code(of: names.span) }
        return secret.withBytes { bytes in
            // One allocation, so that no shorter copy of the secret stays in memory.
            var whole: [UInt8] = []
            whole.reserveCapacity(names.count + bytes.count)
            whole += names
            for index in bytes.indices { whole.append(bytes[index]) }
            defer { erase(&whole) }
            return code(of: whole.span)
        }
    }

    private static func code(of message: Span<UInt8>) -> [UInt8] {
        key.withBytes { HMACSHA256.code(of: message, key: $0) }
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
