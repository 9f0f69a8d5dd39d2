internal import Foundation
public import Hostnames

extension HostReader {
    /// Reads international names too: maps them to A-labels by UTS #46 (non-transitional) and validates `xn--` labels.
    ///
    /// `Bücher.example` becomes `xn--bcher-kva.example`; `faß.example` does not become `fass.example`. A name that is
    /// invalid in UTS #46 throws `HostnameError.unmappable(offset:)`. Mapping takes microseconds; ASCII names without
    /// `xn--` labels are not mapped.
    public static let international = HostReader(mapping: InternationalName.hostname)
}

extension Hostname {
    /// Parses a host that may be an international name; see ``HostReader/international``.
    ///
    /// - Parameter text: the host without scheme, port, path or user name.
    /// - Throws: `HostnameError`, whose offsets count UTF-8 bytes of `text`.
    public init(international text: some StringProtocol) throws(HostnameError) {
        let bytes = [UInt8](text.utf8)
        self = try HostReader.international.hostname(parsing: bytes.span, in: 0..<bytes.count)
    }
}

/// Maps international names to ASCII.
enum InternationalName {
    /// The longest text in bytes: four for each character of the longest name.
    static let maximumLength = Hostname.maximumNameLength * 4

    @Sendable
    static func hostname(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HostnameError) -> Hostname {
        guard range.count <= maximumLength else {
            throw .nameTooLong(offset: range.lowerBound, length: range.count)
        }
        for offset in range { try check(bytes[offset], offset) }
        guard let text = String(validating: range.map { bytes[$0] }, as: UTF8.self), let name = asciiForm(of: text)
        else {
            throw .unmappable(offset: range.lowerBound)
        }
        let ascii = [UInt8](name.utf8)
        do throws(HostnameError) {
            // The mapped text is parsed as any other, because it may contain a delimiter or be an address.
            return try Hostname(parsing: ascii.span, in: 0..<ascii.count)
        } catch {
            throw .unmappable(offset: range.lowerBound)
        }
    }

    /// Refuses ASCII bytes that a name cannot contain, so that the mapping never receives a delimiter.
    private static func check(_ byte: UInt8, _ offset: Int) throws(HostnameError) {
        switch byte {
        case 0x80..., UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            return
        case UInt8(ascii: "%"): throw .percentEscape(offset: offset)
        default: throw .forbiddenByte(byte, offset: offset)
        }
    }

    /// UTS #46 ToASCII with CheckHyphens, CheckBidi, CheckJoiners and VerifyDnsLength, non-transitional, or `nil`.
    private static func asciiForm(of name: String) -> String? {
        var components = URLComponents()
        // Foundation maps a host only if it is not ASCII. A soft hyphen, which the UTS #46 table removes, makes
        // Foundation validate the A-labels of an ASCII host too.
        components.host = "\u{AD}" + name
        // Foundation percent-encodes a host that it cannot map.
        guard let host = components.encodedHost, !host.isEmpty, !host.utf8.contains(UInt8(ascii: "%")) else {
            return nil
        }
        return host
    }
}
