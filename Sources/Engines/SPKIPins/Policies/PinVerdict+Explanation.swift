internal import WireFormat

// Text is computed here, on demand; a decision computes none.

extension PinVerdict: CustomStringConvertible {
    /// One line: the verdict, and what to do about it.
    public var description: String {
        switch self {
        case .notPinned(let absence): "not pinned: \(absence)"
        case .matched(let match): "pinned: \(match)"
        case .mismatched(let mismatch): "refused: \(mismatch)"
        case .reportOnlyMismatch(let mismatch): "reported only: \(mismatch)"
        case .expiredPolicy(let expiry): "expired: \(expiry)"
        case .forbiddenKey(let key): "refused: \(key)"
        }
    }
}

extension PinVerdict {
    /// The description and, for a mismatch, the found and the expected keys below it.
    ///
    /// - Complexity: see ``PinMismatch/explanation``.
    public var explanation: String {
        switch self {
        case .mismatched(let mismatch): "refused: \(mismatch.explanation)"
        case .reportOnlyMismatch(let mismatch): "reported only: \(mismatch.explanation)"
        case .notPinned, .matched, .expiredPolicy, .forbiddenKey: description
        }
    }
}

extension PinAbsence: CustomStringConvertible {
    /// One line: how near the host comes to a pattern.
    public var description: String {
        switch reason {
        case .noPattern: "no pattern covers the host"
        case .onlySubdomainsArePinned(let entry):
            "entry \(entry) covers the subdomains of this host, not the host; add an entry without wildcard"
        case .onlyOneLabelIsPinned(let entry):
            "entry \(entry) covers one label more, this host has several; '**.' covers any number"
        }
    }
}

extension PinMatch: CustomStringConvertible {
    /// One line: which pin matched which certificate.
    public var description: String {
        let kind = isBackup ? "backup pin" : "pin"
        return "\(kind) \(pin) of entry \(entry) matches certificate \(certificateIndex)"
    }
}

extension PinExpiry: CustomStringConvertible {
    /// One line: which entry has expired, and the match that it would have found.
    public var description: String {
        let consequence = match.map { "it would have matched (\($0))" } ?? "no pin would have matched"
        let times = "expired at \(Timestamp.text(unixSeconds: expiry)), now is \(Timestamp.text(unixSeconds: now))"
        return "entry \(entry) \(times); \(consequence); renew the policy"
    }
}

extension ForbiddenKey: CustomStringConvertible {
    /// One line: which certificate has which key.
    public var description: String {
        "certificate \(certificateIndex) has the key \(pin), which entry \(entry) forbids; its owner must replace it"
    }
}

extension PinMismatch: CustomStringConvertible {
    /// One line: how many keys were found and expected, and the nearest miss.
    public var description: String {
        let counts = "none of \(found.count) certificates has one of the \(expectedCount) pins of \(pattern)"
        guard let (index, member) = misplaced.first else { return counts }
        return "\(counts); certificate \(index) has \(member.pin), which counts as \(member.position) only"
    }

    /// The certificates whose pin is expected, but elsewhere in the chain.
    public var misplaced: [(certificateIndex: Int, member: PinSet.Member)] {
        let set = policy.compiled.set(ofEntry: entry)
        return found.enumerated().compactMap { index, key in
            guard case .success(let pin) = key, let member = set.member(for: pin), member.role != .forbidden else {
                return nil
            }
            return (index, member)
        }
    }

    /// The most pins that an explanation names; an entry may have thousands.
    static let mostExplainedPins = 20

    /// Several lines: each certificate with its pin and its subject, then the pins that were expected, primary ones first, and
    /// how many more there are.
    ///
    /// - Complexity: O(*n*) in the names and in the pins of the entry; some 50 lines at most.
    public var explanation: String {
        var lines = [description, "validated chain, leaf first:"]
        for (index, (key, subject)) in zip(found, subjects).enumerated() {
            switch key {
            case .success(let pin): lines.append("  \(index)  \(pin)  \(subject ?? "unreadable name")")
            case .failure(let error): lines.append("  \(index)  unreadable: \(error)")
            }
        }
        lines.append("pins of \(pattern), entry \(entry), policy version \(policyVersion):")
        let pins = expected
        let sorted = pins.filter { $0.role == .primary } + pins.filter { $0.role != .primary }
        for member in sorted.prefix(Self.mostExplainedPins) {
            lines.append("  \(member.pin)  \(member.position)\(member.role == .primary ? "" : ", \(member.role)")")
        }
        if sorted.count > Self.mostExplainedPins { lines.append("  and \(sorted.count - Self.mostExplainedPins) more") }
        return lines.joined(separator: "\n")
    }
}
