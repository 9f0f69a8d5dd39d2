internal import Hostnames
internal import SPKIPins

extension EntryChecks {
    /// What is wrong with a server's chain under the entry that decides for its host.
    func problems(of chain: PresentedChain, at name: Hostname, under entry: PinPolicy.Entry) -> [PinSetProblem] {
        // An entry that has expired decides nothing.
        guard entry.expiry.map({ $0 > now }) ?? true else { return [] }
        let host = "\(name)"
        let presented = chain.pins.map { try? $0.get() }
        let keys = presented.compactMap(\.self)
        var problems: [PinSetProblem] = entry.backupPins.filter { keys.contains($0.pin) }.map {
            .presentedBackup(backup: $0.pin, host: host)
        }
        problems += entry.forbidden.filter(keys.contains).map { .presentedForbidden(pin: $0, host: host) }
        let above = keysAbove(keys)
        guard !(entry.pins + entry.backupPins).contains(where: { isMet($0, presented, above) }) else { return problems }
        let mayBeAbove =
            !isWhole(keys)
            && (entry.pins + entry.backupPins).contains { pin in
                pin.position != .leaf && graph.certificates(of: pin.pin).isEmpty && mistaken.origin(of: pin.pin) == nil
            }
        problems.append(
            .presentedNoPin(host: host, isCertain: !mayBeAbove && presented.allSatisfy { $0 != nil })
        )
        return problems
    }

    /// Servers leave the anchor out, so the keys above those of the chain count, as far as certificates show them.
    private func keysAbove(_ keys: [Pin]) -> Set<Pin> {
        var climb = AuthorityGraph.Climb(in: graph)
        return Set(keys.flatMap { climb.keysAbove($0) })
    }

    /// Whether a client whose chain goes over the presented certificates, and ends at one of them or above, meets a pin.
    private func isMet(_ pin: PositionedPin, _ presented: [Pin?], _ above: Set<Pin>) -> Bool {
        if pin.position != .leaf, above.contains(pin.pin) { return true }
        // Which one a client takes as the anchor is its store's choice, so each but the leaf may be it.
        return presented.enumerated().contains { index, key in
            guard key == pin.pin else { return false }
            return switch pin.position {
            case .any: true
            case .leaf: index == 0
            case .issuer: index > 0
            case .anchor: index > 0 || presented.count == 1
            }
        }
    }

    /// Whether the chain has its root, above which there is nothing.
    private func isWhole(_ keys: [Pin]) -> Bool {
        keys.contains { key in graph.certificates(of: key).contains(where: \.isSelfIssued) }
    }
}
