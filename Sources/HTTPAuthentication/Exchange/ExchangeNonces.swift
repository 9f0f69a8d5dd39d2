package import NTLM

/// Where an exchange takes its random numbers and its time from.
///
/// Everything is fresh by default. A replay hands in what was recorded, so that the same messages come out again; a
/// network client must never do that, because a nonce that is known beforehand protects nothing.
public struct ExchangeNonces: Sendable {
    private let ntlmNonces: ClientNonces?
    private let digestNonce: String?
    private let fixedTime: FileTime?

    /// Random numbers of the system and the present time.
    public static let fresh = ExchangeNonces(ntlm: nil, digestClientNonce: nil, time: nil)

    /// Repeats recorded values; `nil` stands for a fresh one.
    package init(ntlm: ClientNonces?, digestClientNonce: String?, time: FileTime?) {
        ntlmNonces = ntlm
        digestNonce = digestClientNonce
        fixedTime = time
    }

    var ntlm: ClientNonces? { ntlmNonces }

    /// The recorded time, or the present one.
    package var time: FileTime { fixedTime ?? .now }

    /// 128 random bits in hexadecimal digits.
    func digestClientNonce() -> String {
        if let digestNonce { return digestNonce }
        var generator = SystemRandomNumberGenerator()
        let digits = [generator.next(), generator.next()].map { (word: UInt64) in
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return digits.joined()
    }
}
