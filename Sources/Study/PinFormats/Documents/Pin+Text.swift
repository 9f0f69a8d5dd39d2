internal import SPKIPins
internal import WireFormat

extension Pin {
    /// 64 lower-case digits.
    var hexadecimal: String { Hexadecimal.encode(bytes.span) }

    /// The base64 alone.
    var base64: String { String(description.dropFirst(7)) }
}
