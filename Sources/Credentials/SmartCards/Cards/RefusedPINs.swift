internal import Crypto
internal import Secrets
internal import Synchronization

/// The PINs that a card refused in this process. They are kept as keyed digests, until the card takes another PIN.
final class RefusedPINs: Sendable {
    private static let all = Mutex<[(card: CardInfo, pins: RefusedPINs)]>([])
    /// Of this process only, so that a digest tells nothing about a PIN elsewhere.
    private static let key = SymmetricKey(size: .bits256)

    private let digests = Mutex<[[UInt8]]>([])

    private init() {}

    /// The PINs of one card.
    static func of(_ card: CardInfo) -> RefusedPINs {
        all.withLock { all in
            if let known = all.first(where: { $0.card == card }) { return known.pins }
            if all.count == SmartCardLimits.rememberedCards { all.removeFirst() }
            let pins = RefusedPINs()
            all.append((card, pins))
            return pins
        }
    }

    /// What a card did with a PIN.
    enum Answer {
        case accepted
        case refused
        /// The card did not look at it, because the process was logged in already.
        case notChecked
    }

    /// Tries a PIN. Of two tries at the same time the second one waits, and sees what came of the first.
    ///
    /// - Parameters:
    ///   - pin: the PIN.
    ///   - again: whether a PIN that was refused is tried.
    ///   - body: gives the PIN to the card.
    /// - Returns: what `body` returns.
    func attempt<Value>(
        _ pin: Secrets.SharedSecret,
        again: Bool,
        _ body: () throws(SmartCardError.Problem) -> (value: Value, answer: Answer)
    ) throws(SmartCardError.Problem) -> Value {
        let digest = pin.withBytes { bytes in
            var code = HMAC<SHA256>(key: Self.key)
            unsafe bytes.withUnsafeBytes { unsafe code.update(data: $0) }
            return Array(code.finalize())
        }
        return try digests.withLock { digests throws(SmartCardError.Problem) in
            let isKnown = digests.contains { constantTimeEqual($0.span, digest.span) }
            guard again || !isKnown else { throw .refusedPIN }
            let (value, answer) = try body()
            switch answer {
            case .notChecked: break
            case .accepted: digests = []
            case .refused where !isKnown:
                if digests.count == SmartCardLimits.rememberedPINs { digests.removeFirst() }
                digests.append(digest)
            case .refused: break
            }
            return value
        }
    }
}
