package import NTLM

/// Where an exchange takes its random numbers and its time from.
///
/// Everything is fresh by default. A replay hands in what was recorded, so that the same messages come out again; a
/// network client must never do that, because a nonce that is known beforehand protects nothing.
public struct ExchangeNonces: Sendable {
    // One reference, which everybody but a replay has none of: it is handed on with each response.
    private let recorded: Recorded?

    private final class Recorded: Sendable {
        let ntlm: ClientNonces?
        let digestClientNonce: String?
        let time: FileTime?

        init(ntlm: ClientNonces?, digestClientNonce: String?, time: FileTime?) {
            self.ntlm = ntlm
            self.digestClientNonce = digestClientNonce
            self.time = time
        }
    }

    /// Random numbers of the system and the present time.
    public static let fresh = ExchangeNonces()

    private init() { recorded = nil }

    /// Repeats recorded values; `nil` stands for a fresh one.
    package init(ntlm: ClientNonces?, digestClientNonce: String?, time: FileTime?) {
        recorded = Recorded(ntlm: ntlm, digestClientNonce: digestClientNonce, time: time)
    }

    var ntlm: ClientNonces? { recorded?.ntlm }

    /// The recorded time, or the present one.
    package var time: FileTime { recorded?.time ?? .now }

    /// 128 random bits in hexadecimal digits.
    func digestClientNonce() -> String {
        if let nonce = recorded?.digestClientNonce { return nonce }
        var generator = SystemRandomNumberGenerator()
        let digits = [generator.next(), generator.next()].map { (word: UInt64) in
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return digits.joined()
    }
}
