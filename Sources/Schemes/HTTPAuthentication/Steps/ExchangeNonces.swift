package import NTLM

/// The source of the random numbers and the time of an exchange.
///
/// Values are fresh by default. A replay passes recorded values to get the same messages again. A network client must
/// not do that, because a nonce that an attacker can predict protects nothing.
public struct ExchangeNonces: Sendable {
    // One reference, and nil except in replays, because it is passed with each response.
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

    /// Random numbers of the system and the current time.
    public static let fresh = ExchangeNonces()

    private init() { recorded = nil }

    /// Takes recorded values; `nil` means a fresh one.
    package init(ntlm: ClientNonces?, digestClientNonce: String?, time: FileTime?) {
        recorded = Recorded(ntlm: ntlm, digestClientNonce: digestClientNonce, time: time)
    }

    var ntlm: ClientNonces? { recorded?.ntlm }

    /// The recorded time, or the current time.
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
