internal import Crypto
internal import Secrets
internal import Synchronization
internal import WireFormat

/// Passwords that a slow directory has accepted a short time ago: Basic brings the same one with each request, and bcrypt or a log-on at a server
/// for each of them would cost a thousand times what the request does.
///
/// No password lies here, but a code of password and account under a key of this value. Wrong ones are asked about each time, because they are
/// counted anyway.
final class AcceptedPasswords: Sendable {
    /// The most passwords. Beyond it those are forgotten that end first.
    static let most = 16_384

    private struct Code: Hashable {
        let bytes: SIMD4<UInt64>
    }

    private let key = SymmetricKey(size: .bits256)
    private let duration: Duration
    private let ends = Mutex<[Code: ContinuousClock.Instant]>([:])

    /// - Parameter duration: how long a password counts as right after the directory has accepted it.
    init(for duration: Duration) { self.duration = duration }

    /// Whether the directory has accepted the password a short time ago.
    ///
    /// - Parameter account: what the password was accepted for: the account, with the hash that it had if there is one.
    func contains(_ password: Secrets.SharedSecret, of account: [UInt8], now: ContinuousClock.Instant = .now) -> Bool {
        let code = code(of: password, account)
        return ends.withLock { $0[code].map { now < $0 } ?? false }
    }

    /// The number of passwords, for tests.
    var count: Int { ends.withLock { $0.count } }

    /// Remembers that the directory has accepted the password.
    func insert(_ password: Secrets.SharedSecret, of account: [UInt8], now: ContinuousClock.Instant = .now) {
        let code = code(of: password, account)
        ends.withLock { ends in
            if ends.count >= Self.most { ends = ends.filter { now < $0.value } }
            if ends.count >= Self.most {
                // The older half; each of the others then lets another half come before the next search.
                let middle = ends.values.sorted()[ends.count / 2]
                ends = ends.filter { $0.value > middle }
            }
            ends[code] = now + duration
        }
    }

    private func code(of password: Secrets.SharedSecret, _ account: [UInt8]) -> Code {
        var code = HMAC<SHA256>(key: key)
        // With its length before it, so that two pairs of account and password never are one text.
        var length: [UInt8] = []
        length.append(littleEndian: UInt64(account.count))
        code.update(data: length + account)
        // In bounds: the buffer is the span's own.
        password.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe code.update(data: $0) } }
        let bytes = Array(code.finalize())
        var words = SIMD4<UInt64>()
        for index in 0..<4 { words[index] = bytes[8 * index..<8 * index + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        return Code(bytes: words)
    }
}
