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
        let anchors = root.children("base-config").flatMap { $0.children("trust-anchors") }
        let inherited = Inherited(pinSet: nil, anchors: anchors)
        var exempt: [String] = []
        for config in root.children("domain-config") { try read(config, inherited, into: &result, &exempt) }
        result.losses += exemptions(from: result.entries, of: exempt)
        return result
    }

    /// The values that a configuration inherits from its parents.
    private struct Inherited {
        var pinSet: SharedPins?
        var anchors: [Markup]
    }

    /// A `<pin-set>`, read once for all domains that it is for.
    private struct SharedPins {
        var pins: [PositionedPin] = []
        var hasOtherHashes = false
        var expiry: Int64?

        /// `nil` for an empty pin set, which exempts its domains.
        init?(_ element: Markup) throws(PinFormatError) {
            let elements = element.children("pin")
            guard !elements.isEmpty else { return nil }
            for element in elements {
                guard element.attributes["digest"] == "SHA-256" else {
                    hasOtherHashes = true
                    continue
                }
                pins.append(PositionedPin(try pin(element.trimmed, at: element.place)))
            }
            guard let day = element.attributes["expiration"] else { return }
            expiry = try Calendar.seconds(day, at: "\(element.place): expiration")
        }
    }

    /// A boolean attribute, false if absent, with the spellings that Android's resource compiler accepts.
    private static func boolean(_ name: String, of element: Markup) throws(PinFormatError) -> Bool {
        guard let text = element.attributes[name] else { return false }
        switch text.filter({ !$0.isWhitespace }) {
        case "true", "TRUE", "True": return true
        case "false", "FALSE", "False": return false
        default: throw .malformed(place: element.place, problem: "'\(name)' takes true or false")
        }
    }

    // Recursion is as deep as the elements, which the XML reader bounds.
    private static func read(
        _ config: Markup,
        _ inherited: Inherited,
        into result: inout PinDocument,
        _ exempt: inout [String]
    ) throws(PinFormatError) {
        let own = config.children("trust-anchors")
        let anchors = own.isEmpty ? inherited.anchors : own
        var overrides = false
        for certificates in anchors.flatMap({ $0.children("certificates") }) {
            if try boolean("overridePins", of: certificates) { overrides = true }
        }
        var pinSet = inherited.pinSet
        if let element = config.children("pin-set").first { pinSet = try SharedPins(element) }
        for domain in config.children("domain") {
            let name = domain.trimmed
            let host = pattern(name, includesSubdomains: try boolean("includeSubdomains", of: domain))
            guard let pinSet else {
                // An empty pin set exempts the domain from the pins of its parents.
                exempt.append(host)
                continue
            }
            if pinSet.hasOtherHashes { result.losses.append(PinLoss(.otherHash, name)) }
            if overrides { result.losses.append(PinLoss(.localAnchors, name)) }
            result.entries.append(
                PinPolicy.Entry(host: host, pins: pinSet.pins, backup: .amongPins, expiry: pinSet.expiry)
            )
        }
        for nested in config.children("domain-config") {
            try read(nested, Inherited(pinSet: pinSet, anchors: anchors), into: &result, &exempt)
        }
    }

    static func write(_ entries: [PinPolicy.Entry]) -> (text: String, losses: [PinLoss]) {
        var text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<network-security-config>\n"
        var losses: [PinLoss] = []
        var names = DomainNames(takesIPv4: true)
        for entry in entries {
            // Android compares the host's text with this text (`ApplicationConfig`), so an IPv4 address matches.
            // Each name may appear once, with or without subdomains.
            guard let (name, includesSubdomains) = names.next(entry, &losses) else { continue }
            losses += entry.losses(keeping: [.expiry])
            if let expiry = entry.expiry, Calendar.hasTimeOfDay(expiry) {
                losses.append(PinLoss(.timeOfDay, entry.host))
            }
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
