import SPKIPins

/// The verdict in its most obvious form: try every pattern on the labels, keep the most specific, try every pin on every
/// certificate. It shares no code with the policy and reads entries as they were written (lower case, well-formed).
struct LinearPinMatcher {
    enum Answer: Equatable {
        case notPinned
        case matched(certificate: Int, isBackup: Bool, entry: Int)
        case mismatched(entry: Int)
        case reported(entry: Int)
        case expired(entry: Int, wouldMatch: Bool)
        case forbidden(certificate: Int, entry: Int)
    }

    let entries: [PinPolicy.Entry]

    func answer(host: String, chain: [Pin], now: Int64) -> Answer {
        let covering = entries.indices.compactMap { index in
            rank(of: entries[index].host, for: host).map { (rank: $0, index: index) }
        }
        guard let index = covering.max(by: { $0.rank < $1.rank })?.index else { return .notPinned }
        let entry = entries[index]
        if let certificate = chain.firstIndex(where: { entry.forbidden.contains($0) }) {
            return .forbidden(certificate: certificate, entry: index)
        }
        var backups: [PositionedPin] = []
        if case .pins(let pins) = entry.backup { backups = pins }
        let primary = firstMatch(of: entry.pins, in: chain)
        let backup = firstMatch(of: backups, in: chain)
        if let expiry = entry.expiry, expiry <= now {
            return .expired(entry: index, wouldMatch: primary != nil || backup != nil)
        }
        if let primary { return .matched(certificate: primary, isBackup: false, entry: index) }
        if let backup { return .matched(certificate: backup, isBackup: true, entry: index) }
        return entry.mode == .enforce ? .mismatched(entry: index) : .reported(entry: index)
    }

    /// How specific a pattern is for a host that it covers: twice the labels it names, one more for the narrower wildcard.
    private func rank(of pattern: String, for host: String) -> Int? {
        let patternLabels = pattern.split(separator: ".")
        let hostLabels = host.split(separator: ".")
        guard let first = patternLabels.first, first == "*" || first == "**" else {
            return pattern == host ? Int.max : nil
        }
        let named = Array(patternLabels.dropFirst())
        let extra = hostLabels.count - named.count
        guard extra >= (first == "**" ? 0 : 1), Array(hostLabels.suffix(named.count)) == named else { return nil }
        if first == "*" { return extra == 1 ? named.count * 2 + 1 : nil }
        return named.count * 2
    }

    private func firstMatch(of pins: [PositionedPin], in chain: [Pin]) -> Int? {
        chain.indices.first { index in
            pins.contains { candidate in
                guard candidate.pin == chain[index] else { return false }
                switch candidate.position {
                case .any: return true
                case .leaf: return index == 0
                case .issuer: return index != 0
                case .anchor: return index + 1 == chain.count
                }
            }
        }
    }
}
