/// What the compiler of policies asks of backups where certificates are known, pair by pair and without a byte of DER.
struct PairwiseBackupRule {
    /// A certificate: which key under which algorithm identifier, and the names.
    struct Certificate: Hashable {
        let key: UInt8
        let isPSS: Bool
        let subject: String
        let issuer: String

        /// The meaning of a pin.
        var name: String { "\(key)\(isPSS ? " PSS" : "")" }
    }

    enum Answer: Equatable {
        case sound
        /// The backup is the key of a primary pin.
        case sameKey(String)
        /// No backup is from elsewhere.
        case sameAuthority
    }

    let known: [Certificate]

    func answer(primary: [String], backups: [String]) -> Answer {
        let above = known.filter { primary.contains($0.name) }
        var sound = 0
        for backup in backups {
            let own = known.filter { $0.name == backup }
            if own.contains(where: { one in above.contains { $0.key == one.key } }) { return .sameKey(backup) }
            let isDependent = own.allSatisfy { one in
                above.contains {
                    $0.issuer == one.issuer || $0.issuer == one.subject || $0.subject == one.issuer
                }
            }
            if own.isEmpty || !isDependent { sound += 1 }
        }
        return sound > 0 ? .sound : .sameAuthority
    }
}
