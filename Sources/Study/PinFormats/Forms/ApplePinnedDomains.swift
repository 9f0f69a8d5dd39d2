internal import SPKIPins

/// Apple's `NSPinnedDomains`, with separate lists for pins of authorities and of leaves.
///
/// Apple documents that `NSIncludesSubdomains` covers one label more. `*.` excludes the domain itself and `**.`
/// includes any number of labels, so neither is equal. It is read and written as `**.`, with a loss.
enum ApplePinnedDomains {
    private static let digest = "SPKI-SHA256-BASE64"

    static func read(_ document: DocumentValue) throws(PinFormatError) -> PinDocument {
        var result = PinDocument(entries: [])
        for (name, value) in try document.entries(of: "NSPinnedDomains", in: "NSAppTransportSecurity") {
            let fields = try value.object(at: name)
            var pins: [PositionedPin] = []
            for (key, position) in [("NSPinnedLeafIdentities", PinPosition.leaf), ("NSPinnedCAIdentities", .issuer)] {
                for identity in try fields[key]?.array(at: name) ?? [] {
                    guard let text = try identity.object(at: name)[digest] else {
                        throw .malformed(place: name, problem: "expected '\(digest)'")
                    }
                    pins.append(PositionedPin(try pin(try text.text(at: name), at: name), at: position))
                }
            }
            if Set(pins.map(\.position)).count > 1 { result.losses.append(PinLoss(.conjunction, name)) }
            let includesSubdomains = try fields["NSIncludesSubdomains"]?.boolean(at: name) ?? false
            if includesSubdomains { result.losses.append(PinLoss(.depth, pattern(name, includesSubdomains: true))) }
            result.entries.append(
                PinPolicy.Entry(
                    host: pattern(name, includesSubdomains: includesSubdomains),
                    pins: pins,
                    backup: .amongPins,
                    expiry: nil
                )
            )
        }
        return result
    }

    static func write(_ entries: [PinPolicy.Entry]) -> (text: String, losses: [PinLoss]) {
        var domains: [String: DocumentValue] = [:]
        var names = DomainNames()
        var losses: [PinLoss] = []
        for entry in entries {
            guard let (name, includesSubdomains) = names.next(entry, &losses) else { continue }
            losses += entry.losses(keeping: [.position])
            let leaves = entry.allPins.filter { $0.position == .leaf }
            let authorities = entry.allPins.filter { $0.position == .issuer || $0.position == .anchor }
            // With both lists Apple demands a match in each, so pins for any position or for both positions cannot be
            // expressed.
            if leaves.count != entry.allPins.count, authorities.count != entry.allPins.count {
                losses.append(PinLoss(.unsupportedPosition, entry.host))
                names.release(name)
                continue
            }
            if authorities.contains(where: { $0.position == .anchor }) { losses.append(PinLoss(.position, entry.host)) }
            if includesSubdomains { losses.append(PinLoss(.depth, entry.host)) }
            let key = leaves.isEmpty ? "NSPinnedCAIdentities" : "NSPinnedLeafIdentities"
            domains[name] = .object([
                "NSIncludesSubdomains": .boolean(includesSubdomains),
                key: .array(entry.allPins.map { .object([digest: .text($0.pin.base64)]) }),
            ])
        }
        let security = DocumentValue.object(["NSPinnedDomains": .object(domains)])
        return (DocumentValue.object(["NSAppTransportSecurity": security]).propertyList, losses)
    }
}
