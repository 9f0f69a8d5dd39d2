/// The parameters in the query of a redirect, decoded. One without a value counts as omitted, and none may be repeated, also not without
/// a value (RFC 6749 section 3.1).
struct RedirectParameters {
    /// What may occur (RFC 6749 sections 4.1.2 and 4.1.2.1, RFC 9207). Other parameters are ignored.
    private static let names: Set<String> = ["code", "state", "iss", "error", "error_description", "error_uri"]

    private var values: [String: [UInt8]] = [:]
    private var seen: Set<String> = []

    /// - Parameters:
    ///   - target: path and query of the request.
    ///   - path: the path of the redirect, which must be equal byte for byte.
    init(_ target: String, path: String) throws(AuthorizationError) {
        guard target.utf8.count <= TokenLimits.redirectBytes else { throw .tooLong }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, first.utf8.elementsEqual(path.utf8) else { throw .otherPath }
        guard parts.count == 2 else { return }
        for pair in parts[1].split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(sides[0]).map({ String(decoding: $0, as: UTF8.self) }),
                Self.names.contains(name)
            else { continue }
            guard let value = Self.decoded(sides.count == 2 ? sides[1] : ""), seen.insert(name).inserted else {
                throw .malformed(name)
            }
            if !value.isEmpty { values[name] = value }
        }
    }

    subscript(name: String) -> [UInt8]? { values[name] }

    /// The bytes that a form-encoded text stands for; `nil` if an escape is cut off or has other digits.
    private static func decoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
