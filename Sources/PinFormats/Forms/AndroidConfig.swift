internal import SPKIPins

/// Android's `network-security-config`.
enum AndroidConfig {
    static func read(_ text: [UInt8]) throws(PinFormatError) -> PinDocument {
        let root = try Markup.read(text)
        guard root.name == "network-security-config" else {
            throw .malformed(place: root.place, problem: "expected <network-security-config>")
        }
        var result = PinDocument(entries: [])
        if !root.children("debug-overrides").isEmpty { result.losses.append(PinLoss(.localAnchors)) }
        for config in root.children("domain-config") { try read(config, inherited: nil, into: &result) }
        return result
    }

    // As deep as elements are nested, which the reader of XML bounds.
    private static func read(
        _ config: Markup,
        inherited: Markup?,
        into result: inout PinDocument
    ) throws(PinFormatError) {
        let pinSet = config.children("pin-set").first ?? inherited
        for domain in config.children("domain") {
            let name = domain.trimmed
            guard let pinSet, !pinSet.children("pin").isEmpty else {
                // Without pins of its own it is exempt from what its parents pin.
                result.losses.append(PinLoss(.exclusion, name))
                continue
            }
            var pins: [PositionedPin] = []
            for element in pinSet.children("pin") {
                guard element.attributes["digest"] == "SHA-256" else {
                    result.losses.append(PinLoss(.otherHash, name))
                    continue
                }
                pins.append(PositionedPin(try pin(element.trimmed, at: element.place)))
            }
            var expiry: Int64?
            if let day = pinSet.attributes["expiration"] {
                guard let seconds = Calendar.seconds(day) else {
                    throw .malformed(place: pinSet.place, problem: "expected a day like 2036-01-01")
                }
                expiry = seconds
            }
            let overrides = config.children("trust-anchors").flatMap { $0.children("certificates") }
            if overrides.contains(where: { $0.attributes["overridePins"] == "true" }) {
                result.losses.append(PinLoss(.localAnchors, name))
            }
            let host = pattern(name, includesSubdomains: domain.attributes["includeSubdomains"] == "true")
            result.entries.append(PinPolicy.Entry(host: host, pins: pins, backup: .amongPins, expiry: expiry))
        }
        for nested in config.children("domain-config") { try read(nested, inherited: pinSet, into: &result) }
    }

    static func write(_ entries: [PinPolicy.Entry]) -> (text: String, losses: [PinLoss]) {
        var text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<network-security-config>\n"
        var losses: [PinLoss] = []
        for entry in entries {
            guard let (name, includesSubdomains) = domain(of: entry.host) else {
                losses.append(PinLoss(.pattern, entry.host))
                continue
            }
            losses += entry.losses(keeping: [.expiry])
            let expiration = entry.expiry.map { " expiration=\"\(Calendar.day($0))\"" } ?? ""
            let pins = entry.allPins.map { "            <pin digest=\"SHA-256\">\($0.pin.base64)</pin>\n" }.joined()
            text += """
                    <domain-config>
                        <domain includeSubdomains="\(includesSubdomains)">\(Markup.escaped(name))</domain>
                        <pin-set\(expiration)>
                \(pins)        </pin-set>
                    </domain-config>

                """
        }
        return (text + "</network-security-config>\n", losses)
    }
}
