internal import SPKIPins
internal import WireFormat

/// A text cut into lines, with their numbers.
func lines(_ text: [UInt8]) -> [(place: String, text: String)] {
    // By bytes: to a Swift text CR and LF are one character, at which nothing would be cut.
    text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().map { index, line in
        let bare = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        return ("line \(index + 1)", String(decoding: bare, as: UTF8.self))
    }
}

/// OkHttp's `CertificatePinner`: `.add("host.example", "sha256/…", "sha256/…")` a line, or host and pins alone.
enum OkHttp {
    static func read(_ text: [UInt8]) throws(PinFormatError) -> PinDocument {
        var order: [String] = []
        var pins: [String: [PositionedPin]] = [:]
        for (place, line) in lines(text) {
            let words = line.split { " \t\"',;()".contains($0) }.filter { $0 != ".add" && $0 != "add" }
            guard let host = words.first, !host.hasPrefix("#"), !host.hasPrefix("//") else { continue }
            guard words.count > 1 else { throw .malformed(place: place, problem: "expected a host and its pins") }
            let key = String(host)
            if pins[key] == nil { order.append(key) }
            for word in words.dropFirst() {
                guard word.hasPrefix("sha256/") || word.hasPrefix("sha1/") else {
                    throw .malformed(place: place, problem: "a pin starts with sha256/")
                }
                pins[key, default: []].append(PositionedPin(try pin(word, at: place)))
            }
        }
        let entries = order.map {
            PinPolicy.Entry(host: $0, pins: pins[$0] ?? [], backup: .amongPins, expiry: nil)
        }
        let hasWildcards = order.contains { $0.hasPrefix("*") } && order.count > 1
        return PinDocument(entries: entries, losses: hasWildcards ? [PinLoss(.union)] : [])
    }

    static func write(_ entries: [PinPolicy.Entry]) -> (text: String, losses: [PinLoss]) {
        let lines = entries.flatMap { entry in
            entry.allPins.map { ".add(\"\(entry.host)\", \"\($0.pin)\")\n" }
        }
        var losses = entries.flatMap { $0.losses(keeping: []) }
        if entries.count > 1, entries.contains(where: { $0.host.hasPrefix("*") }) { losses.append(PinLoss(.union)) }
        return (lines.joined(), losses)
    }
}

/// curl's `--pinnedpubkey`: `sha256//…;sha256//…`, held against the server's own certificate only.
enum Curl {
    static func read(_ text: [UInt8], host: String?) throws(PinFormatError) -> PinDocument {
        guard let host else { throw .hostNeeded }
        var pins: [PositionedPin] = []
        for (place, line) in lines(text) where !line.hasPrefix("#") {
            let words = line.split { " \t\"';".contains($0) }
            for word in words where word != "--pinnedpubkey" {
                guard word.hasPrefix("sha256//") else {
                    throw .malformed(place: place, problem: "expected sha256//…;sha256//… (a key file is not read)")
                }
                pins.append(PositionedPin(try pin(word, at: place), at: .leaf))
            }
        }
        guard !pins.isEmpty else { return PinDocument(entries: []) }
        return PinDocument(entries: [PinPolicy.Entry(host: host, pins: pins, backup: .amongPins, expiry: nil)])
    }

    static func write(_ entries: [PinPolicy.Entry]) -> (text: String, losses: [PinLoss]) {
        var text = ""
        var losses: [PinLoss] = []
        for entry in entries {
            // A pin of an authority can never match here, and would only look as if it could.
            let pins = entry.allPins.filter { $0.position == .leaf || $0.position == .any }
            losses += entry.losses(keeping: [.position]) + [PinLoss(.host, entry.host)]
            if entry.allPins.contains(where: { $0.position != .leaf }) { losses.append(PinLoss(.position, entry.host)) }
            guard !pins.isEmpty else { continue }
            let list = pins.map { "sha256//" + "\($0.pin)".dropFirst(7) }.joined(separator: ";")
            text += "# \(entry.host)\n--pinnedpubkey '\(list)'\n"
        }
        return (text, losses)
    }
}

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

/// The header of RFC 7469 2.1, with or without its name; several lines are several headers.
enum PublicKeyPinsHeader {
    static func read(_ text: [UInt8], host: String?, now: Int64) throws(PinFormatError) -> PinDocument {
        guard let host else { throw .hostNeeded }
        var document = PinDocument(entries: [])
        for (place, line) in lines(text) where !line.hasPrefix("#") && !line.allSatisfy(\.isWhitespace) {
            var value = line
            var mode = PinPolicy.Mode.enforce
            for (name, meaning) in [
                ("public-key-pins-report-only:", PinPolicy.Mode.reportOnly), ("public-key-pins:", .enforce),
            ]
            where line.lowercased().hasPrefix(name) {
                value = String(line.dropFirst(name.count))
                mode = meaning
            }
            var pins: [PositionedPin] = []
            var age: Int64?
            var includesSubdomains = false
            for directive in value.split(separator: ";") {
                let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = parts[0].filter { !$0.isWhitespace }.lowercased()
                let argument = parts.count > 1 ? parts[1].filter { $0 != "\"" && !$0.isWhitespace } : ""
                switch name {
                case "pin-sha256": pins.append(PositionedPin(try pin(argument, at: place)))
                case "max-age":
                    guard let seconds = Int64(argument), (0...1 << 40).contains(seconds) else {
                        throw .malformed(place: place, problem: "max-age takes a number of seconds")
                    }
                    age = seconds
                case "includesubdomains": includesSubdomains = true
                case "report-uri": document.losses.append(PinLoss(.reportAddress, host))
                default: break
                }
            }
            guard let age else { throw .malformed(place: place, problem: "max-age is missing (RFC 7469 2.1.2)") }
            document.entries.append(
                PinPolicy.Entry(
                    host: pattern(host, includesSubdomains: includesSubdomains),
                    pins: pins,
                    backup: .amongPins,
                    expiry: now + age,
                    mode: mode
                )
            )
        }
        return document
    }

    /// RFC 7469 4.1 suggests about 60 days; written for entries that never expire.
    private static let usualAge: Int64 = 60 * 86_400

    static func write(_ entries: [PinPolicy.Entry], now: Int64) -> (text: String, losses: [PinLoss]) {
        var text = ""
        var losses: [PinLoss] = []
        for entry in entries {
            guard let (_, includesSubdomains) = domain(of: entry.host) else {
                losses.append(PinLoss(.pattern, entry.host))
                continue
            }
            losses += entry.losses(keeping: [.expiry, .mode]) + [PinLoss(.host, entry.host)]
            if entry.expiry == nil { losses.append(PinLoss(.expiry, entry.host)) }
            let age = entry.expiry.map { max(0, $0 - now) } ?? usualAge
            let pins = entry.allPins.map { "pin-sha256=\"\("\($0.pin)".dropFirst(7))\"" }.joined(separator: "; ")
            let name = entry.mode == .enforce ? "Public-Key-Pins" : "Public-Key-Pins-Report-Only"
            text +=
                "# \(entry.host)\n\(name): \(pins); max-age=\(age)\(includesSubdomains ? "; includeSubDomains" : "")\n"
        }
        return (text, losses)
    }
}

extension Pin {
    /// 64 lower-case digits.
    var hexadecimal: String { Hexadecimal.encode(bytes.span) }

    /// The base64 alone.
    var base64: String { String(description.dropFirst(7)) }
}
