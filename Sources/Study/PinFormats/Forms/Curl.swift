internal import SPKIPins

/// curl's `--pinnedpubkey`: `sha256//…;sha256//…`, compared only with the server's own certificate.
enum Curl {
    static func read(_ text: [UInt8], host: String?) throws(PinFormatError) -> PinDocument {
        guard let host else { throw .hostNeeded }
        var pins: [PositionedPin] = []
        // Semicolons separate the pins of one value; a word without one is the value of another command.
        var continues = true
        for line in NumberedLines(text) where !line.text.hasPrefix("#") {
            for word in line.text.split(whereSeparator: { " \t\"'".contains($0) }) where word != "--pinnedpubkey" {
                guard continues || word.hasPrefix(";") else {
                    throw .malformed(
                        place: line.place,
                        problem: "a second value, which belongs to another command and perhaps another host; give one"
                    )
                }
                for part in word.split(separator: ";") {
                    guard part.hasPrefix("sha256//") else {
                        throw .malformed(
                            place: line.place,
                            problem: "expected sha256//…;sha256//… (a key file is not read)"
                        )
                    }
                    pins.append(PositionedPin(try pin(part, at: line.place), at: .leaf))
                }
                continues = word.hasSuffix(";")
            }
        }
        guard !pins.isEmpty else { return PinDocument(entries: []) }
        return PinDocument(entries: [PinPolicy.Entry(host: host, pins: pins, backup: .amongPins, expiry: nil)])
    }

    static func write(_ entries: [PinPolicy.Entry]) -> (text: String, losses: [PinLoss]) {
        var text = ""
        var losses: [PinLoss] = []
        for entry in entries {
            // curl compares only the leaf's key, so an authority's pin would never match.
            let pins = entry.allPins.filter { $0.position == .leaf || $0.position == .any }
            guard !pins.isEmpty else {
                losses.append(PinLoss(.unsupportedPosition, entry.host))
                continue
            }
            losses += entry.losses(keeping: [.position]) + [PinLoss(.host, entry.host)]
            if pins.contains(where: { $0.position == .any }) { losses.append(PinLoss(.position, entry.host)) }
            for pin in entry.allPins where pin.position == .issuer || pin.position == .anchor {
                losses.append(PinLoss(.authorityPin, entry.host, "\(pin.pin)"))
            }
            let list = pins.map { "sha256//" + "\($0.pin)".dropFirst(7) }.joined(separator: ";")
            text += "# \(entry.host)\n--pinnedpubkey '\(list)'\n"
        }
        return (text, losses)
    }
}
