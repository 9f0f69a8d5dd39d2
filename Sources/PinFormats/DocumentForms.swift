internal import SPKIPins

/// Our own form: a JSON object with `entries`, whose keys are those of `pins` in a security profile.
enum NativePolicy {
    static func read(_ document: DocumentValue) throws(PinFormatError) -> PinDocument {
        let root = try document.object(at: "file")
        guard let list = root["entries"] else { throw .malformed(place: "file", problem: "expected 'entries'") }
        var entries: [PinPolicy.Entry] = []
        for (index, value) in try list.array(at: "entries").enumerated() {
            let place = "entries[\(index)]"
            let fields = try value.object(at: place)
            let known = ["host", "pins", "backups", "withoutBackup", "expires", "enforce", "forbidden"]
            // A misspelt key must not silently turn something off.
            if let key = fields.keys.sorted().first(where: { !known.contains($0) }) {
                throw .malformed(place: place, problem: "unknown key '\(key.prefix(40))'")
            }
            guard let host = fields["host"], let pins = fields["pins"] else {
                throw .malformed(place: place, problem: "expected 'host' and 'pins'")
            }
            let backup: PinPolicy.Backup
            switch (fields["backups"], fields["withoutBackup"]) {
            case (let pins?, nil): backup = .pins(try positioned(pins, at: "\(place).backups"))
            case (nil, let reason?): backup = .unsafeSinglePin(reason: try reason.text(at: "\(place).withoutBackup"))
            case (nil, nil): backup = .amongPins
            default: throw .malformed(place: place, problem: "'backups' and 'withoutBackup' exclude each other")
            }
            let forbidden = try fields["forbidden"].map { value throws(PinFormatError) in
                try positioned(value, at: "\(place).forbidden").map(\.pin)
            }
            entries.append(
                PinPolicy.Entry(
                    host: try host.text(at: "\(place).host"),
                    pins: try positioned(pins, at: "\(place).pins"),
                    backup: backup,
                    expiry: try fields["expires"].map { value throws(PinFormatError) in
                        try value.seconds(at: "\(place).expires")
                    },
                    mode: try fields["enforce"]?.boolean(at: "\(place).enforce") ?? true ? .enforce : .reportOnly,
                    forbidden: forbidden ?? []
                )
            )
        }
        return PinDocument(entries: entries)
    }

    private static func positioned(_ list: DocumentValue, at place: String) throws(PinFormatError) -> [PositionedPin] {
        var pins: [PositionedPin] = []
        for (index, value) in try list.array(at: place).enumerated() {
            let place = "\(place)[\(index)]"
            if case .text(let text) = value {
                pins.append(PositionedPin(try pin(text, at: place)))
                continue
            }
            let fields = try value.object(at: place)
            guard let digest = fields["sha256"], fields.keys.allSatisfy({ $0 == "sha256" || $0 == "position" }) else {
                throw .malformed(place: place, problem: "expected 'sha256' and perhaps 'position'")
            }
            let position = try fields["position"]?.text(at: "\(place).position") ?? "any"
            guard let known = positions.first(where: { "\($0)" == position }) else {
                throw .malformed(place: place, problem: "expected leaf, issuer, anchor or any")
            }
            pins.append(PositionedPin(try pin(try digest.text(at: "\(place).sha256"), at: place), at: known))
        }
        return pins
    }

    private static let positions: [PinPosition] = [.any, .leaf, .issuer, .anchor]

    static func write(_ entries: [PinPolicy.Entry]) -> (text: String, losses: [PinLoss]) {
        func list(_ pins: [PositionedPin]) -> DocumentValue {
            .array(pins.map { .object(["sha256": .text($0.pin.base64), "position": .text("\($0.position)")]) })
        }
        let objects = entries.map { entry -> DocumentValue in
            var fields: [String: DocumentValue] = ["host": .text(entry.host), "pins": list(entry.pins)]
            switch entry.backup {
            case .pins(let pins): fields["backups"] = list(pins)
            case .unsafeSinglePin(let reason): fields["withoutBackup"] = .text(reason)
            case .amongPins: break
            }
            if let expiry = entry.expiry { fields["expires"] = .text(Calendar.time(expiry)) }
            if entry.mode == .reportOnly { fields["enforce"] = .boolean(false) }
            if !entry.forbidden.isEmpty { fields["forbidden"] = .array(entry.forbidden.map { .text($0.base64) }) }
            return .object(fields)
        }
        return (DocumentValue.object(["entries": .array(objects)]).json, [])
    }
}

/// TrustKit's `TSKPinnedDomains`.
enum TrustKit {
    static func read(_ document: DocumentValue) throws(PinFormatError) -> PinDocument {
        var root = try document.object(at: "file")
        // In an Info.plist the configuration is a value of its own.
        if let inside = root["TSKConfiguration"] { root = try inside.object(at: "TSKConfiguration") }
        guard let domains = root["TSKPinnedDomains"] else {
            throw .malformed(place: "file", problem: "expected 'TSKPinnedDomains'")
        }
        var result = PinDocument(entries: [])
        for (name, value) in try domains.object(at: "TSKPinnedDomains").sorted(by: { $0.key < $1.key }) {
            let fields = try value.object(at: name)
            if let excluded = fields["TSKExcludeSubdomainFromParentPolicy"], try excluded.boolean(at: name) {
                result.losses.append(PinLoss(.exclusion, name))
                continue
            }
            guard let hashes = fields["TSKPublicKeyHashes"] else {
                throw .malformed(place: name, problem: "expected 'TSKPublicKeyHashes'")
            }
            var pins: [PositionedPin] = []
            for hash in try hashes.array(at: name) {
                pins.append(PositionedPin(try pin(try hash.text(at: name), at: name)))
            }
            if fields["TSKReportUris"] != nil { result.losses.append(PinLoss(.reportAddress, name)) }
            if fields["TSKAdditionalTrustAnchors"] != nil { result.losses.append(PinLoss(.localAnchors, name)) }
            let includesSubdomains = try fields["TSKIncludeSubdomains"]?.boolean(at: name) ?? false
            result.entries.append(
                PinPolicy.Entry(
                    host: pattern(name, includesSubdomains: includesSubdomains),
                    pins: pins,
                    backup: .amongPins,
                    expiry: try fields["TSKExpirationDate"].map { value throws(PinFormatError) in
                        try value.seconds(at: name)
                    },
                    mode: try fields["TSKEnforcePinning"]?.boolean(at: name) ?? true ? .enforce : .reportOnly
                )
            )
        }
        return result
    }

    static func write(_ entries: [PinPolicy.Entry], asPropertyList: Bool) -> (text: String, losses: [PinLoss]) {
        var domains: [String: DocumentValue] = [:]
        var losses: [PinLoss] = []
        for entry in entries {
            // Domains are keys: the host itself and its subdomains cannot be told apart twice.
            guard let (name, includesSubdomains) = domain(of: entry.host), domains[name] == nil else {
                losses.append(PinLoss(.pattern, entry.host))
                continue
            }
            losses += entry.losses(keeping: [.expiry, .mode])
            var fields: [String: DocumentValue] = [
                "TSKPublicKeyHashes": .array(entry.allPins.map { .text($0.pin.base64) }),
                "TSKIncludeSubdomains": .boolean(includesSubdomains),
                "TSKEnforcePinning": .boolean(entry.mode == .enforce),
            ]
            if let expiry = entry.expiry { fields["TSKExpirationDate"] = .text(Calendar.day(expiry)) }
            domains[name] = .object(fields)
        }
        let root = DocumentValue.object(["TSKPinnedDomains": .object(domains)])
        return (asPropertyList ? root.propertyList : root.json, losses)
    }
}

/// Apple's `NSPinnedDomains`: pins of authorities and of leaves in lists of their own.
enum ApplePinnedDomains {
    private static let digest = "SPKI-SHA256-BASE64"

    static func read(_ document: DocumentValue) throws(PinFormatError) -> PinDocument {
        var root = try document.object(at: "file")
        if let inside = root["NSAppTransportSecurity"] { root = try inside.object(at: "NSAppTransportSecurity") }
        guard let domains = root["NSPinnedDomains"] else {
            throw .malformed(place: "file", problem: "expected 'NSPinnedDomains'")
        }
        var result = PinDocument(entries: [])
        for (name, value) in try domains.object(at: "NSPinnedDomains").sorted(by: { $0.key < $1.key }) {
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
        var losses: [PinLoss] = []
        for entry in entries {
            guard let (name, includesSubdomains) = domain(of: entry.host), domains[name] == nil else {
                losses.append(PinLoss(.pattern, entry.host))
                continue
            }
            losses += entry.losses(keeping: [.position])
            let leaves = entry.allPins.filter { $0.position == .leaf }
            let authorities = entry.allPins.filter { $0.position == .issuer || $0.position == .anchor }
            // With both lists Apple demands a match in each: pins that count anywhere, or of both kinds, cannot be said.
            if leaves.count != entry.allPins.count, authorities.count != entry.allPins.count {
                losses.append(PinLoss(.pattern, entry.host))
                continue
            }
            if authorities.contains(where: { $0.position == .anchor }) { losses.append(PinLoss(.position, entry.host)) }
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

/// Chromium's `transport_security_state_static.json`: named pin sets, and entries that use them. Names of keys in place of
/// pins (they stand in a second file) are refused.
enum ChromiumPins {
    static func read(_ text: [UInt8]) throws(PinFormatError) -> PinDocument {
        // The file has comments, which JSON has not; each takes a whole line.
        let bare = lines(text).map(\.text).filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }
        let root = try DocumentValue(json: Array(bare.joined(separator: "\n").utf8)).object(at: "file")
        var sets: [String: [String: DocumentValue]] = [:]
        for (index, value) in try root["pinsets"]?.array(at: "pinsets").enumerated().map({ $0 }) ?? [] {
            let place = "pinsets[\(index)]"
            let fields = try value.object(at: place)
            guard let name = fields["name"] else { throw .malformed(place: place, problem: "expected 'name'") }
            sets[try name.text(at: place)] = fields
        }
        var result = PinDocument(entries: [])
        for (index, value) in try root["entries"]?.array(at: "entries").enumerated().map({ $0 }) ?? [] {
            let place = "entries[\(index)]"
            let fields = try value.object(at: place)
            // Most entries are about HTTPS alone.
            guard let used = fields["pins"] else { continue }
            guard let name = fields["name"], let set = sets[try used.text(at: place)] else {
                throw .malformed(place: place, problem: "expected 'name', and 'pins' that names a pin set")
            }
            let host = try name.text(at: place)
            var includesSubdomains = false
            for key in ["include_subdomains", "include_subdomains_for_pinning"] {
                if let flag = fields[key], try flag.boolean(at: place) { includesSubdomains = true }
            }
            if set["report_uri"] != nil { result.losses.append(PinLoss(.reportAddress, host)) }
            result.entries.append(
                PinPolicy.Entry(
                    host: pattern(host, includesSubdomains: includesSubdomains),
                    pins: try hashes(set, "static_spki_hashes", at: place).map { PositionedPin($0) },
                    backup: .amongPins,
                    expiry: nil,
                    forbidden: try hashes(set, "bad_static_spki_hashes", at: place)
                )
            )
        }
        return result
    }

    private static func hashes(
        _ set: [String: DocumentValue],
        _ key: String,
        at place: String
    ) throws(PinFormatError) -> [Pin] {
        var pins: [Pin] = []
        for value in try set[key]?.array(at: place) ?? [] {
            let text = try value.text(at: place)
            guard text.hasPrefix("sha256/") else {
                throw .malformed(place: place, problem: "'\(text.prefix(40))' is a name; write sha256/ and its base64")
            }
            pins.append(try pin(text, at: place))
        }
        return pins
    }

    static func write(_ entries: [PinPolicy.Entry]) -> (text: String, losses: [PinLoss]) {
        var sets: [DocumentValue] = []
        var list: [DocumentValue] = []
        var losses: [PinLoss] = []
        for (index, entry) in entries.enumerated() {
            guard let (name, includesSubdomains) = domain(of: entry.host) else {
                losses.append(PinLoss(.pattern, entry.host))
                continue
            }
            losses += entry.losses(keeping: [.forbiddenKeys])
            var set: [String: DocumentValue] = [
                "name": .text("set\(index)"),
                "static_spki_hashes": .array(entry.allPins.map { .text("\($0.pin)") }),
            ]
            if !entry.forbidden.isEmpty {
                set["bad_static_spki_hashes"] = .array(entry.forbidden.map { .text("\($0)") })
            }
            sets.append(.object(set))
            list.append(
                .object([
                    "name": .text(name), "pins": .text("set\(index)"),
                    "include_subdomains_for_pinning": .boolean(includesSubdomains),
                ])
            )
        }
        return (DocumentValue.object(["pinsets": .array(sets), "entries": .array(list)]).json, losses)
    }
}
