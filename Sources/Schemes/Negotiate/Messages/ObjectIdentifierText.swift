/// The dotted form of object identifiers.
package enum ObjectIdentifierText {
    /// The text of the identifier at `range`, such as `1.3.6.1.5.5.2`, which ``MechanismList`` has checked.
    ///
    /// An arc of more than 63 bits is written as `…`.
    package static func text(at range: Range<Int>, in bytes: Span<UInt8>) -> String {
        var arcs: [String] = []
        var value: UInt64? = 0
        for index in range {
            let byte = bytes[index]
            if let before = value {
                value = before >> 56 == 0 ? before << 7 | UInt64(byte & 0x7F) : nil
            }
            guard byte < 0x80 else { continue }
            if arcs.isEmpty, let first = value {
                // X.690 8.19.4: the first two arcs share a group.
                let root = min(first / 40, 2)
                arcs = ["\(root)", "\(first - 40 * root)"]
            } else {
                arcs.append(value.map { "\($0)" } ?? "…")
            }
            value = 0
        }
        return arcs.joined(separator: ".")
    }
}
