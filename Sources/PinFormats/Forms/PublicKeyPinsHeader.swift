internal import SPKIPins

/// The header of RFC 7469 2.1, with or without its name; several lines are several headers.
enum PublicKeyPinsHeader {
    static func read(_ text: [UInt8], host: String?, now: Int64) throws(PinFormatError) -> PinDocument {
        guard let host else { throw .hostNeeded }
        var document = PinDocument(entries: [])
        for line in NumberedLines(text) where !line.text.hasPrefix("#") && !line.text.allSatisfy(\.isWhitespace) {
            var value = line.text
            var mode = PinPolicy.Mode.enforce
            for (name, meaning) in [
                ("public-key-pins-report-only:", PinPolicy.Mode.reportOnly), ("public-key-pins:", .enforce),
            ]
            where line.text.lowercased().hasPrefix(name) {
                value = String(line.text.dropFirst(name.count))
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
                case "pin-sha256": pins.append(PositionedPin(try pin(argument, at: line.place)))
                case "max-age":
                    guard let seconds = Int64(argument), (0...1 << 40).contains(seconds) else {
                        throw .malformed(place: line.place, problem: "max-age takes a number of seconds")
                    }
                    age = seconds
                case "includesubdomains": includesSubdomains = true
                case "report-uri": document.losses.append(PinLoss(.reportAddress, host))
                default: break
                }
            }
            guard let age else { throw .malformed(place: line.place, problem: "max-age is missing (RFC 7469 2.1.2)") }
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
        var names: Set<String> = []
        for entry in entries {
            // RFC 7469 2.3.1: of several headers from one host the first one counts.
            guard let (host, includesSubdomains) = domain(of: entry.host), names.insert(host).inserted else {
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
