internal import SPKIPins

/// Records of DANE (RFC 6698 2.1): usage 3 is the server's own key, usage 2 an authority's; selector 1 is the
/// SubjectPublicKeyInfo and matching type 1 its SHA-256.
enum TLSA {
    static func read(_ text: [UInt8]) throws(PinFormatError) -> PinDocument {
        var order: [String] = []
        var pins: [String: [PositionedPin]] = [:]
        for (place, line) in lines(text) {
            let words = line.prefix { $0 != ";" }.split { " \t()".contains($0) }
            guard let type = words.firstIndex(where: { $0.uppercased() == "TLSA" }) else {
                guard words.isEmpty || words[0].hasPrefix("#") else {
                    throw .malformed(place: place, problem: "expected a TLSA record in one line")
                }
                continue
            }
            let fields = words[(type + 1)...]
            guard type > 0, fields.count >= 4 else {
                throw .malformed(place: place, problem: "expected owner, TLSA, three numbers and hexadecimal digits")
            }
            let kind = fields.prefix(3).joined(separator: " ")
            guard kind == "3 1 1" || kind == "2 1 1" else {
                throw .malformed(place: place, problem: "TLSA \(kind.prefix(20)): only 3 1 1 and 2 1 1 are pins")
            }
            let host = words[0].split(separator: ".").drop { $0.hasPrefix("_") }.joined(separator: ".")
            if pins[host] == nil { order.append(host) }
            let pin = try pin(fields.dropFirst(3).joined(), at: place)
            pins[host, default: []].append(PositionedPin(pin, at: kind.hasPrefix("3") ? .leaf : .issuer))
        }
        return PinDocument(
            entries: order.map { PinPolicy.Entry(host: $0, pins: pins[$0] ?? [], backup: .amongPins, expiry: nil) }
        )
    }

    static func write(_ entries: [PinPolicy.Entry]) -> (text: String, losses: [PinLoss]) {
        var text = ""
        var losses: [PinLoss] = []
        for entry in entries {
            guard let (name, includesSubdomains) = domain(of: entry.host), !includesSubdomains else {
                losses.append(PinLoss(.pattern, entry.host))
                continue
            }
            losses += entry.losses(keeping: [.position])
            for pin in entry.allPins {
                // Only a leaf or an authority can be meant; a pin for any place becomes one of each.
                let usages = pin.position == .leaf ? [3] : pin.position == .any ? [3, 2] : [2]
                if pin.position == .anchor { losses.append(PinLoss(.position, entry.host)) }
                for usage in usages { text += "_443._tcp.\(name). IN TLSA \(usage) 1 1 \(pin.pin.hexadecimal)\n" }
            }
        }
        return (text, losses)
    }
}
