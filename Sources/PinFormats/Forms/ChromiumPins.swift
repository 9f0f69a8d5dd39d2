internal import SPKIPins

/// Chromium's `transport_security_state_static.json`: named pin sets, and entries that use them. Names of keys in place of
/// pins (they stand in a second file) are refused.
enum ChromiumPins {
    static func read(_ text: [UInt8]) throws(PinFormatError) -> PinDocument {
        // The file has comments, which JSON has not; each takes a whole line.
        var bare: [UInt8] = []
        for line in NumberedLines(text) where !line.text.drop(while: \.isWhitespace).hasPrefix("//") {
            bare += line.text.utf8
            bare.append(UInt8(ascii: "\n"))
        }
        let root = try DocumentValue(json: bare).object(at: wholeText)
        var sets: [String: [String: DocumentValue]] = [:]
        for (index, value) in try root["pinsets"]?.array(at: "pinsets").enumerated().map({ $0 }) ?? [] {
            let place = "pinsets[\(index)]"
            let fields = try value.object(at: place)
            guard let name = fields["name"] else { throw .malformed(place: place, problem: "expected 'name'") }
            sets[try name.text(at: place)] = fields
        }
        var result = PinDocument(entries: [])
        // Many entries use one set.
        var read: [String: (pins: [PositionedPin], forbidden: [Pin])] = [:]
        for (index, value) in try root["entries"]?.array(at: "entries").enumerated().map({ $0 }) ?? [] {
            let place = "entries[\(index)]"
            let fields = try value.object(at: place)
            // Most entries are about HTTPS alone.
            guard let used = fields["pins"] else { continue }
            let setName = try used.text(at: place)
            guard let name = fields["name"], let set = sets[setName] else {
                throw .malformed(place: place, problem: "expected 'name', and 'pins' that names a pin set")
            }
            let host = try name.text(at: place)
            var includesSubdomains = false
            for key in ["include_subdomains", "include_subdomains_for_pinning"] {
                if let flag = fields[key], try flag.boolean(at: place) { includesSubdomains = true }
            }
            let pins: (pins: [PositionedPin], forbidden: [Pin])
            if let known = read[setName] {
                pins = known
            } else {
                let hashes = try self.hashes(set, "static_spki_hashes", at: place)
                pins = (hashes.map { PositionedPin($0) }, try self.hashes(set, "bad_static_spki_hashes", at: place))
                read[setName] = pins
            }
            if set["report_uri"] != nil { result.losses.append(PinLoss(.reportAddress, host)) }
            result.entries.append(
                PinPolicy.Entry(
                    host: pattern(host, includesSubdomains: includesSubdomains),
                    pins: pins.pins,
                    backup: .amongPins,
                    expiry: nil,
                    forbidden: pins.forbidden
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
        var names: Set<String> = []
        for (index, entry) in entries.enumerated() {
            guard let (name, includesSubdomains) = domain(of: entry.host) else {
                losses.append(PinLoss(.pattern, entry.host))
                continue
            }
            // A name may be there once, with its subdomains or without.
            guard names.insert(name).inserted else {
                losses.append(PinLoss(.secondEntry, entry.host))
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
