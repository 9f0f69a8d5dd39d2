internal import SPKIPins

/// A verdict as JSON.
struct PinsCheckAnswer: Encodable {
    let host: String
    let verdict: String
    let explanation: String
    let policyVersion: UInt64
    /// The entry that decided, and the pattern of a mismatch.
    private(set) var entry: Int?
    private(set) var pattern: String?
    /// The pin that matched, or that is forbidden, and the certificate that has it.
    private(set) var pin: String?
    private(set) var certificate: Int?
    private(set) var position: String?
    private(set) var isBackup: Bool?
    /// For a mismatch: the pins of the chain, leaf first, and the pins of which the chain needs one.
    private(set) var seen: [Seen]?
    private(set) var expected: [Expected]?

    struct Seen: Encodable {
        let pin: String?
        let subject: String?
    }

    struct Expected: Encodable {
        let pin: String
        let position: String
        let isBackup: Bool

        enum CodingKeys: String, CodingKey {
            case pin, position
            case isBackup = "backup"
        }
    }

    enum CodingKeys: String, CodingKey {
        case host, verdict, explanation, entry, pattern, pin, certificate, position, seen, expected
        case policyVersion = "policy_version"
        case isBackup = "backup"
    }

    init(_ verdict: PinVerdict, host: String) {
        self.host = host
        self.verdict = verdict.name
        explanation = "\(verdict)"
        policyVersion = verdict.policyVersion
        switch verdict {
        case .matched(let match): fill(from: match)
        case .forbiddenKey(let key):
            (entry, pin, certificate) = (key.entry, key.pin.base64Text, key.certificateIndex)
        case .mismatched(let mismatch), .reportOnlyMismatch(let mismatch): fill(from: mismatch)
        case .expiredPolicy(let expiry): entry = expiry.entry
        case .notPinned: break
        }
    }

    private mutating func fill(from match: PinMatch) {
        (entry, pin, certificate) = (match.entry, match.pin.base64Text, match.certificateIndex)
        (position, isBackup) = ("\(match.position)", match.isBackup)
    }

    private mutating func fill(from mismatch: PinMismatch) {
        (entry, pattern) = (mismatch.entry, mismatch.pattern)
        seen = zip(mismatch.found, mismatch.subjects).map { found, subject in
            Seen(pin: (try? found.get())?.base64Text, subject: subject)
        }
        expected = mismatch.expected.map { member in
            Expected(
                pin: member.pin.base64Text,
                position: "\(member.position)",
                isBackup: member.role != .primary
            )
        }
    }
}

extension PinVerdict {
    /// The name of the verdict in JSON.
    fileprivate var name: String {
        switch self {
        case .matched: "matched"
        case .forbiddenKey: "forbidden"
        case .mismatched: "mismatched"
        case .reportOnlyMismatch: "report-only-mismatch"
        case .expiredPolicy: "expired"
        case .notPinned: "not-pinned"
        }
    }
}
