internal import SPKIPins

/// OkHttp's `CertificatePinner`: source text of Kotlin or Java that calls `.add("host.example", "sha256/…")`, or a host
/// and its pins alone in each line.
enum OkHttp {
    static func read(_ text: [UInt8]) throws(PinFormatError) -> PinDocument {
        var order: [String] = []
        var pins: [String: [PositionedPin]] = [:]
        for (words, place) in try calls(of: text) {
            guard let host = words.first, words.count > 1 else {
                throw .malformed(place: place, problem: "expected a host and its pins")
            }
            // OkHttp merges pins of one pattern, and ignores the case of the pattern.
            let key = host.lowercased()
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
        return PinDocument(entries: entries, losses: overlaps(of: entries))
    }

    /// Host and pins of each call or line.
    private static func calls(of text: [UInt8]) throws(PinFormatError) -> [(words: [String], place: String)] {
        guard !BuilderCalls.isCode(text) else {
            return try BuilderCalls.read(text).map { ($0.arguments, "line \($0.number)") }
        }
        return NumberedLines(text).compactMap { line in
            let words = line.text.split { " \t\"',;()".contains($0) }.filter { $0 != ".add" && $0 != "add" }
            guard let host = words.first, !host.hasPrefix("#"), !host.hasPrefix("//") else { return nil }
            return (words.map(String.init), line.place)
        }
    }

    static func write(_ entries: [PinPolicy.Entry]) -> (text: String, losses: [PinLoss]) {
        let lines = entries.flatMap { entry in
            entry.allPins.map { ".add(\"\(entry.host)\", \"\($0.pin)\")\n" }
        }
        return (lines.joined(), entries.flatMap { $0.losses(keeping: []) } + overlaps(of: entries))
    }
}
