/// The names of a zone's text: labels in lower case, and what a relative name is relative to (RFC 1035 5.1).
struct ZoneNames {
    /// A name whose last label is below the root.
    struct Name: Equatable {
        /// From the left; names ignore case (RFC 4343).
        let labels: [String]
        /// Whether it is relative, and the text has no `$ORIGIN` before it that ends in a dot.
        let lacksOrigin: Bool

        /// The labels of protocol and port in front of a host (RFC 6698 3); a `*` among them means any.
        private var serviceLength: Int {
            let wildcard = labels.count > 1 && labels[0] == "*" && labels[1].hasPrefix("_") ? 1 : 0
            return wildcard + labels.dropFirst(wildcard).prefix { $0.hasPrefix("_") }.count
        }

        var service: String { labels.prefix(serviceLength).joined(separator: ".") }
        var host: String { labels.dropFirst(serviceLength).joined(separator: ".") }
    }

    private var origin: Name?
    private var last: Name?

    /// Takes the argument of `$ORIGIN`, which may be relative to the one before.
    mutating func setOrigin(_ text: String) { origin = name(text) }

    /// The owner of a record: its first word, or the owner of the record before.
    mutating func owner(of record: ZoneRecords.Record) throws(PinFormatError) -> Name {
        if record.startsWithBlank {
            guard let last else {
                throw .malformed(
                    place: record.place,
                    problem: "the line begins with a blank, so it has no owner: write the owner in front"
                )
            }
            return last
        }
        let name = name(record.words[0])
        last = name
        return name
    }

    private func name(_ text: String) -> Name {
        let base = origin ?? Name(labels: [], lacksOrigin: true)
        if text == "@" { return base }
        let (labels, isAbsolute) = Self.labels(of: text)
        return Name(
            labels: isAbsolute ? labels : labels + base.labels,
            lacksOrigin: !isAbsolute && base.lacksOrigin
        )
    }

    /// The labels of `text`, and whether a dot ends it. An escaped letter, digit, hyphen or underscore is itself. Any
    /// other escape is kept, so that it is not part of a valid host.
    private static func labels(of text: String) -> (labels: [String], isAbsolute: Bool) {
        let bytes = Array(text.utf8)
        var labels: [String] = []
        var label: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: ".") {
                if !label.isEmpty { labels.append(String(decoding: label, as: UTF8.self).lowercased()) }
                label = []
            } else if byte == UInt8(ascii: "\\") {
                // Three digits are a byte's value; any other byte is itself.
                let digits = bytes[index...].prefix(3)
                let isNumber = digits.count == 3 && digits.allSatisfy { (0x30...0x39).contains($0) }
                let value =
                    isNumber ? UInt8(String(decoding: digits, as: UTF8.self)) : index < bytes.count ? bytes[index] : nil
                let length = isNumber ? 3 : 1
                let isPlain = value.map { isNamePart($0) } ?? false
                label += isPlain ? [value ?? 0] : [byte] + bytes[index...].prefix(length)
                index = min(index + length, bytes.count)
            } else {
                label.append(byte)
            }
        }
        if !label.isEmpty { labels.append(String(decoding: label, as: UTF8.self).lowercased()) }
        return (labels, label.isEmpty && bytes.last == UInt8(ascii: "."))
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
