internal import SPKIPins
internal import WireFormat

/// The header of RFC 7469 2.1, with or without its name, or as nginx and Apache are told to send it; several lines are
/// several headers of one host.
enum PublicKeyPinsHeader {
    static func read(_ text: [UInt8], host: String?, now: Int64) throws(PinFormatError) -> PinDocument {
        guard let host else { throw .hostNeeded }
        var document = PinDocument(entries: [])
        var seen: Set<PinPolicy.Mode> = []
        for field in try fields(of: text) {
            let (entry, losses) = try entry(field.value, of: host, field.mode, now: now, at: field.place)
            // RFC 7469 2.3.1: only the first of several headers with one name is used.
            guard seen.insert(field.mode).inserted else {
                document.losses.append(PinLoss(.secondHeader, host))
                continue
            }
            // The enforcing entry comes first, because other forms keep only the first entry of a host.
            document.entries.insert(entry, at: field.mode == .enforce ? 0 : document.entries.endIndex)
            document.losses += losses
        }
        // A browser applies both headers; in our form one entry decides.
        document.losses += overlaps(of: document.entries)
        return document
    }

    private struct Field {
        let mode: PinPolicy.Mode
        let value: Substring
        let place: String
    }

    private static let modes: [String: PinPolicy.Mode] = [
        "public-key-pins": .enforce, "public-key-pins-report-only": .reportOnly,
    ]

    private static func fields(of text: [UInt8]) throws(PinFormatError) -> [Field] {
        if let headers = try ServerHeaders.read(text, names: Set(modes.keys)) {
            return headers.compactMap { header in
                modes[header.name.lowercased()].map {
                    Field(mode: $0, value: header.value[...], place: "line \(header.number)")
                }
            }
        }
        var fields: [Field] = []
        for line in NumberedLines(text) where !line.text.hasPrefix("#") && !line.text.allSatisfy(\.isWhitespace) {
            fields.append(try field(line))
        }
        return fields
    }

    /// The mode and value of a header line; a line without a name is an enforcing header.
    private static func field(_ line: NumberedLines.Line) throws(PinFormatError) -> Field {
        // A directive's name has no colon, so a colon before the first argument ends the header's name.
        let start = line.text.prefix { !"=;\"".contains($0) }
        guard let colon = start.firstIndex(of: ":") else {
            return Field(mode: .enforce, value: line.text[...], place: line.place)
        }
        let value = line.text[line.text.index(after: colon)...]
        guard let mode = modes[start[..<colon].lowercased()] else {
            throw .malformed(
                place: line.place,
                problem: "another header; give Public-Key-Pins or Public-Key-Pins-Report-Only alone"
            )
        }
        return Field(mode: mode, value: value, place: line.place)
    }

    private static func entry(
        _ value: Substring,
        of host: String,
        _ mode: PinPolicy.Mode,
        now: Int64,
        at place: String
    ) throws(PinFormatError) -> (PinPolicy.Entry, losses: [PinLoss]) {
        var pins: [PositionedPin] = []
        var age: Int64?
        var includesSubdomains = false
        var losses: [PinLoss] = []
        var seen: Set<String> = []
        for text in try directives(Array(value.utf8), at: place) {
            guard let directive = try PinDirective(text, at: place) else { continue }
            // RFC 7469 2.1: each directive appears at most once, pins apart. Two of them are an error, because either
            // may be wrong.
            guard directive.isOfPin || seen.insert(directive.name).inserted else {
                throw .malformed(place: place, problem: "\(directive.name) appears twice: keep one (RFC 7469 2.1)")
            }
            switch directive.name {
            case "pin-sha256": pins.append(PositionedPin(try pin(directive.value ?? "", at: place)))
            // RFC 7469 2.1.2: it has no meaning in a report-only header, and must be ignored there.
            case "max-age":
                if mode == .enforce { age = try self.age(directive.value ?? "", now: now, at: place) }
            case "includesubdomains":
                // Browsers disagreed about a value: one ignored the header, another the value.
                guard directive.value == nil else {
                    throw .malformed(
                        place: place,
                        problem: "includeSubDomains takes no value: write it alone, or leave it out (RFC 7469 2.1.3)"
                    )
                }
                includesSubdomains = true
            case "report-uri": losses.append(PinLoss(.reportAddress, host))
            // RFC 7469 2.1: a browser ignores what it does not know. It may be a misspelt directive.
            default: losses.append(PinLoss(.directive, host, directive.name))
            }
        }
        guard age != nil || mode == .reportOnly else {
            throw .malformed(place: place, problem: "max-age is missing (RFC 7469 2.1.2)")
        }
        let entry = PinPolicy.Entry(
            host: pattern(host, includesSubdomains: includesSubdomains),
            pins: pins,
            backup: .amongPins,
            expiry: age.map { now + $0 },
            mode: mode
        )
        return (entry, losses)
    }

    /// The age in seconds, at most until the end of the year 9999, the last time that the forms can write.
    private static func age(_ text: String, now: Int64, at place: String) throws(PinFormatError) -> Int64 {
        let most = max(0, Timestamp.range.upperBound - now)
        guard let seconds = Int64(text), (0...most).contains(seconds) else {
            let value = text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? " '\(text.prefix(20))'" : ""
            throw .malformed(
                place: place,
                problem: "max-age\(value) is not a number of seconds: write one from 0 to \(most)"
            )
        }
        return seconds
    }

    /// Splits at semicolons outside of quotes. Inside quotes a backslash escapes the next byte (RFC 7230 3.2.6).
    private static func directives(_ value: [UInt8], at place: String) throws(PinFormatError) -> [String] {
        var directives: [String] = []
        var start = 0
        var isQuoted = false
        var isEscaped = false
        for (index, byte) in value.enumerated() {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if isQuoted {
                isEscaped = byte == UInt8(ascii: "\\")
            } else if byte == UInt8(ascii: ";") {
                directives.append(String(decoding: value[start..<index], as: UTF8.self))
                start = index + 1
            }
        }
        guard !isQuoted else { throw .malformed(place: place, problem: "a quote is not closed") }
        return directives + [String(decoding: value[start...], as: UTF8.self)]
    }

    /// RFC 7469 4.1 suggests about 60 days; written for entries that never expire.
    private static let usualAge: Int64 = 60 * 86_400

    static func write(_ entries: [PinPolicy.Entry], now: Int64) -> (text: String, losses: [PinLoss]) {
        var text = ""
        var losses: [PinLoss] = []
        var names = DomainNames()
        for entry in entries {
            // RFC 7469 2.3.3: a browser does not keep the pins of an IP address.
            // RFC 7469 2.3.1: only the first of several headers from one host is used.
            guard let (_, includesSubdomains) = names.next(entry, &losses) else { continue }
            // A report-only header cannot say an end.
            let hasAge = entry.mode == .enforce
            losses += entry.losses(keeping: hasAge ? [.expiry, .mode] : [.mode]) + [PinLoss(.host, entry.host)]
            if hasAge, entry.expiry == nil { losses.append(PinLoss(.endlessness, entry.host)) }
            var directives = entry.allPins.map { "pin-sha256=\"\("\($0.pin)".dropFirst(7))\"" }
            if hasAge { directives.append("max-age=\(entry.expiry.map { max(0, $0 - now) } ?? usualAge)") }
            if includesSubdomains { directives.append("includeSubDomains") }
            let name = hasAge ? "Public-Key-Pins" : "Public-Key-Pins-Report-Only"
            text += "# \(entry.host)\n\(name): \(directives.joined(separator: "; "))\n"
        }
        return (text, losses)
    }
}
