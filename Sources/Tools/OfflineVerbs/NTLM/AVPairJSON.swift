internal import Foundation
internal import NTLM
internal import WireFormat

/// The JSON form of attributes (`AV_PAIR`, MS-NLMP 2.2.2.1): all of them in order, unknown ones in hexadecimal.
enum AVPairJSON {
    static func list(_ info: TargetInfo) -> JSONValue {
        .array(
            info.pairs.map { pair in
                .object([
                    ("AvId", .integer(UInt64(pair.id.rawValue))), ("Name", JSONValue(pair.id.name)),
                    ("AvLen", .integer(UInt64(pair.value.count))), ("Value", value(pair)),
                ])
            }
        )
    }

    /// The value in the type of its attribute; in hexadecimal if it does not have that type.
    private static func value(_ pair: AVPair) -> JSONValue {
        switch pair.id {
        case .nbComputerName, .nbDomainName, .dnsComputerName, .dnsDomainName, .dnsTreeName, .targetName:
            if let text = WireText.utf16(pair.value) { return .string(text) }
        case .timestamp where pair.value.count == 8:
            if let ticks = littleEndianUInt64(in: pair.value.span, at: 0) { return time(FileTime(rawValue: ticks)) }
        case .flags where pair.value.count == 4:
            if let bits = littleEndianUInt32(in: pair.value.span, at: 0) { return .integer(UInt64(bits)) }
        default: break
        }
        return NTLMMessageJSON.hexadecimal(pair.value)
    }

    /// A time as FILETIME number and in RFC 3339, which ends with the year 9999.
    static func time(_ time: FileTime) -> JSONValue {
        let seconds = time.unixSeconds
        let text = Timestamp.range.contains(seconds) ? Timestamp.text(unixSeconds: seconds) : nil
        return .object([("FILETIME", .integer(time.rawValue)), ("UTC", JSONValue(text))])
    }
}

/// Decodes UTF-16LE of messages.
enum WireText {
    /// The text of `bytes`, or `nil` if they are not well-formed UTF-16.
    static func utf16(_ bytes: [UInt8]) -> String? {
        guard bytes.count % 2 == 0 else { return nil }
        let units = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
        return String(validating: units, as: UTF16.self)
    }
}
