internal import SPKIPins

/// Chromium's `transport_security_state_static_pins.json`: named sets of keys, themselves named, and entries that use
/// them.
///
/// The definitions of key names are read from comments in the same text (``ChromiumKeyNames``), and written there. A
/// pin in place of a name is read too, although Chromium's generator does not accept it. Older lists, which have HTTPS
/// and pins in one file, are read too.
enum ChromiumPins {
    static func read(_ text: [UInt8]) throws(PinFormatError) -> PinDocument {
        var names = ChromiumKeyNames()
        // The file has comments, which are not JSON; each is a whole line.
        var bare: [UInt8] = []
        for line in NumberedLines(text) {
            let start = line.text.drop(while: \.isWhitespace)
            if start.hasPrefix("//") {
                try names.readComment(start.dropFirst(2), of: line)
            } else {
                names.end()
                bare += line.text.utf8
            }
            // An empty line replaces a comment, so that line numbers stay the same.
            bare.append(UInt8(ascii: "\n"))
        }
        let root = try DocumentValue(json: bare).object(at: wholeText)
        var sets: [String: [String: DocumentValue]] = [:]
        for (index, value) in try root["pinsets"]?.array(at: "pinsets").enumerated().map({ $0 }) ?? [] {
            let place = "pinsets[\(index)]"
            let fields = try value.object(at: place)
            guard let name = fields["name"] else { throw .malformed(place: place, problem: "expected 'name'") }
            guard sets.updateValue(fields, forKey: try name.text(at: place)) == nil else {
                throw .malformed(place: place, problem: "a second set of this name; keep one")
            }
        }
        return try read(root["entries"]?.array(at: "entries") ?? [], sets, names)
    }

    private static func read(
        _ entries: [DocumentValue],
        _ sets: [String: [String: DocumentValue]],
        _ names: ChromiumKeyNames
    ) throws(PinFormatError) -> PinDocument {
        var result = PinDocument(entries: [])
        var exempt: [String] = []
        // Many entries use one set.
        var read: [String: (pins: [PositionedPin], forbidden: [Pin])] = [:]
        for (index, value) in entries.enumerated() {
            let place = "entries[\(index)]"
            let fields = try value.object(at: place)
            var includesSubdomains = false
            for key in ["include_subdomains", "include_subdomains_for_pinning"] {
                if let flag = fields[key], try flag.boolean(at: place) { includesSubdomains = true }
            }
            let host = try fields["name"]?.text(at: place)
            guard let used = fields["pins"] else {
                // The entry is only about HTTPS. The most specific entry decides, so its hosts do not have the pins of
                // a wider entry.
                if let host { exempt.append(pattern(host, includesSubdomains: includesSubdomains)) }
                continue
            }
            let setName = try used.text(at: place)
            guard let host, let set = sets[setName] else {
                throw .malformed(place: place, problem: "expected 'name', and 'pins' that names a pin set")
            }
            let pins: (pins: [PositionedPin], forbidden: [Pin])
            if let known = read[setName] {
                pins = known
            } else {
                let hashes = try self.hashes(set, "static_spki_hashes", names, at: place)
                let forbidden = try self.hashes(set, "bad_static_spki_hashes", names, at: place)
                pins = (hashes.map { PositionedPin($0) }, forbidden)
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
        result.losses += exemptions(from: result.entries, of: exempt)
        return result
    }

    private static func hashes(
        _ set: [String: DocumentValue],
        _ key: String,
        _ names: ChromiumKeyNames,
        at place: String
    ) throws(PinFormatError) -> [Pin] {
        var pins: [Pin] = []
        for value in try set[key]?.array(at: place) ?? [] {
            let text = try value.text(at: place)
            pins.append(text.hasPrefix("sha256/") ? try pin(text, at: place) : try names.pin(text, at: place))
        }
        return pins
    }

    /// The keys of a set, which entries may share.
    private struct Keys: Hashable {
        let pins: [Pin]
        let forbidden: [Pin]
    }

    static func write(_ entries: [PinPolicy.Entry], now: Int64) -> (text: String, losses: [PinLoss]) {
        var sets: [Keys] = []
        var indices: [Keys: Int] = [:]
        var written: [DocumentValue] = []
        var losses: [PinLoss] = []
        var names = DomainNames()
        for entry in entries {
            // A name may be there once, with its subdomains or without.
            guard let (name, includesSubdomains) = names.next(entry, &losses) else { continue }
            losses += entry.losses(keeping: [.forbiddenKeys])
            let keys = Keys(pins: entry.allPins.map(\.pin), forbidden: entry.forbidden)
            let index = indices[keys] ?? sets.count
            if index == sets.count {
                sets.append(keys)
                indices[keys] = index
            }
            written.append(
                .object([
                    "name": .text(name),
                    "pins": .text("set\(index)"),
                    "include_subdomains": .boolean(includesSubdomains),
                ])
            )
        }
        let values = sets.enumerated().map { index, keys in
            var set = ["name": DocumentValue.text("set\(index)"), "static_spki_hashes": list(of: keys.pins)]
            if !keys.forbidden.isEmpty { set["bad_static_spki_hashes"] = list(of: keys.forbidden) }
            return DocumentValue.object(set)
        }
        let json = DocumentValue.object(["pinsets": .array(values), "entries": .array(written)]).json
        return (comment(defining: sets.flatMap { $0.pins + $0.forbidden }, now: now) + json, losses)
    }

    private static func list(of pins: [Pin]) -> DocumentValue {
        .array(pins.map { .text(ChromiumKeyNames.name(of: $0)) })
    }

    /// The definitions of the second file as comments, with instructions.
    private static func comment(defining pins: [Pin], now: Int64) -> String {
        var seen: Set<Pin> = []
        let once = pins.filter { seen.insert($0).inserted }
        let lines =
            [
                "A list of pins for Chromium, transport_security_state_static_pins.json, which has names for its keys.",
                "The lines below the next one, without their slashes, are \(ChromiumKeyNames.file),",
                "which says what the names are. A file that has a timestamp keeps one: the new one, not both.",
                "----", "PinsListTimestamp", "\(now)", "",
            ] + ChromiumKeyNames.definitions(of: once)
        return lines.dropLast().map { $0.isEmpty ? "//\n" : "// \($0)\n" }.joined()
    }
}
