/// Why a text is not one certain host.
///
/// Every `offset` counts UTF-8 bytes from the start of the text that was handed over.
public enum HostnameError: Error, Equatable, Sendable {
    /// There is no host where one is expected.
    case empty(offset: Int)
    /// A byte above 127, where international names are not read or must be written as their `xn--` A-labels.
    case nonASCII(offset: Int)
    /// A byte that no host may hold: a control, a space, a delimiter, a wildcard.
    case forbiddenByte(UInt8, offset: Int)
    /// A percent escape: some readers decode it, and then the host is another one.
    case percentEscape(offset: Int)
    /// Two dots in a row, a dot at the start, or a dot alone.
    case emptyLabel(offset: Int)
    /// The label that starts at `offset` is longer than 63 bytes.
    case labelTooLong(offset: Int, length: Int)
    /// The name is longer than 253 bytes.
    case nameTooLong(offset: Int, length: Int)
    /// The last label is a number, but the host is not four plain decimal numbers.
    case oddIPv4(offset: Int)
    /// An opening bracket whose closing one is not the last byte of the host.
    case unclosedBracket(offset: Int)
    /// The text between the brackets is no IPv6 address from `offset` on.
    case invalidIPv6(offset: Int)
    /// An IPv6 zone (`%eth0`), which means something on one machine only.
    case zoneIdentifier(offset: Int)
    /// An international name, or one with an `xn--` label, to which UTS #46 gives no ASCII form.
    case unmappable(offset: Int)
    /// An IPv4 address in the clothes of an IPv6 one (`::ffff:192.0.2.1`).
    case ipv4MappedIPv6(offset: Int)
}

extension HostnameError {
    /// Where in the text the host stops being certain.
    public var offset: Int {
        switch self {
        case .empty(let offset), .nonASCII(let offset), .forbiddenByte(_, let offset), .percentEscape(let offset),
            .emptyLabel(let offset), .labelTooLong(let offset, _), .nameTooLong(let offset, _), .oddIPv4(let offset),
            .unclosedBracket(let offset), .invalidIPv6(let offset), .zoneIdentifier(let offset),
            .unmappable(let offset), .ipv4MappedIPv6(let offset):
            offset
        }
    }

    /// What is wrong and what to do, without the place.
    package var problem: String {
        switch self {
        case .empty: "there is no host: write a name or an address"
        case .nonASCII: "the host is not ASCII: write international names as xn-- labels"
        case .forbiddenByte(let byte, _):
            "byte 0x\(String(byte, radix: 16)) cannot stand in a host: use letters, digits, '-', '_' and dots"
        case .percentEscape: "a host takes no percent escapes: write the character itself"
        case .emptyLabel: "a label is empty: remove the extra dot"
        case .labelTooLong(_, let length):
            "a label has \(length) bytes: \(Hostname.maximumLabelLength) is the longest in DNS"
        case .nameTooLong(_, let length):
            "the name has \(length) bytes: \(Hostname.maximumNameLength) is the longest in DNS"
        case .oddIPv4:
            "the host ends in a number but is no plain IPv4 address: write four decimal numbers, as in 192.0.2.1"
        case .unclosedBracket: "the bracket is not closed at the end of the host: write [address]"
        case .invalidIPv6: "this is no IPv6 address: write it as in [2001:db8::1]"
        case .zoneIdentifier: "an IPv6 zone means something on one machine only: remove it"
        case .unmappable:
            "no domain name has this form (UTS #46): check its letters, joiners, hyphens and xn-- labels"
        case .ipv4MappedIPv6: "this IPv6 address is an IPv4 host: write the IPv4 address"
        }
    }
}

extension HostnameError: CustomStringConvertible {
    /// One line: where it is, what is wrong and what to do.
    public var description: String { "offset \(offset): \(problem)" }
}
