/// Why a text is not an accepted host.
///
/// Each `offset` counts UTF-8 bytes from the start of the parsed text.
public enum HostnameError: Error, Equatable, Sendable {
    /// The host is missing.
    case empty(offset: Int)
    /// A byte above 127. International names must be written as `xn--` labels, or be read with a reader for them.
    case nonASCII(offset: Int)
    /// A byte that a host cannot contain: a control, a space, a delimiter or a wildcard.
    case forbiddenByte(UInt8, offset: Int)
    /// A percent escape; programs that decode it read another host.
    case percentEscape(offset: Int)
    /// Two dots in a row, a dot at the start, or a dot alone.
    case emptyLabel(offset: Int)
    /// The label that starts at `offset` is longer than 63 bytes.
    case labelTooLong(offset: Int, length: Int)
    /// The name is longer than 253 bytes.
    case nameTooLong(offset: Int, length: Int)
    /// The last label is a number, but the host is not four decimal numbers.
    case oddIPv4(offset: Int)
    /// An opening bracket without a closing bracket at the end of the host.
    case unclosedBracket(offset: Int)
    /// The text between the brackets is not an IPv6 address; the error is at `offset`.
    case invalidIPv6(offset: Int)
    /// An IPv6 zone (`%eth0`), which is valid on one machine only.
    case zoneIdentifier(offset: Int)
    /// An international name or a name with an `xn--` label that is invalid in UTS #46.
    case unmappable(offset: Int)
    /// An IPv4 address written as an IPv6 address (`::ffff:192.0.2.1`).
    case ipv4MappedIPv6(offset: Int)
}

extension HostnameError {
    /// The offset of the error.
    public var offset: Int {
        switch self {
        case .empty(let offset), .nonASCII(let offset), .forbiddenByte(_, let offset), .percentEscape(let offset),
            .emptyLabel(let offset), .labelTooLong(let offset, _), .nameTooLong(let offset, _), .oddIPv4(let offset),
            .unclosedBracket(let offset), .invalidIPv6(let offset), .zoneIdentifier(let offset),
            .unmappable(let offset), .ipv4MappedIPv6(let offset):
            offset
        }
    }

    /// The problem and the remedy, without the place.
    package var problem: String {
        switch self {
        case .empty: "the host is missing: write a name or an address"
        case .nonASCII: "the host is not ASCII: write international names as xn-- labels"
        case .forbiddenByte(let byte, _):
            "a host cannot contain byte 0x\(String(byte, radix: 16)): use letters, digits, '-', '_' and dots"
        case .percentEscape: "a host cannot have percent escapes: write the character itself"
        case .emptyLabel: "a label is empty: remove the extra dot"
        case .labelTooLong(_, let length):
            "a label has \(length) bytes: \(Hostname.maximumLabelLength) is the longest in DNS"
        case .nameTooLong(_, let length):
            "the name has \(length) bytes: \(Hostname.maximumNameLength) is the longest in DNS"
        case .oddIPv4:
            "the host ends in a number but is not an IPv4 address: write four decimal numbers, as in 192.0.2.1"
        case .unclosedBracket: "the bracket is not closed at the end of the host: write [address]"
        case .invalidIPv6: "this is not an IPv6 address: write it as in [2001:db8::1]"
        case .zoneIdentifier: "an IPv6 zone is valid on one machine only: remove it"
        case .unmappable:
            "this is not a valid domain name (UTS #46): check its letters, joiners, hyphens and xn-- labels"
        case .ipv4MappedIPv6: "this IPv6 address contains an IPv4 address: write the IPv4 address"
        }
    }
}

extension HostnameError: CustomStringConvertible {
    /// One line: place, problem and remedy.
    public var description: String { "offset \(offset): \(problem)" }
}
