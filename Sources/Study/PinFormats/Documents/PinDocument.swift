public import SPKIPins

/// The entries of a file of pins, and what the entries cannot express.
public struct PinDocument: Sendable {
    /// The entries; `PinPolicy(compiling:version:at:)` validates them.
    public var entries: [PinPolicy.Entry]
    /// What the file states and the entries do not.
    public var losses: [PinLoss]

    /// Creates a document from entries and losses.
    public init(entries: [PinPolicy.Entry], losses: [PinLoss] = []) {
        self.entries = entries
        self.losses = losses
    }
}

/// A statement of one form of pins that another form cannot express.
public struct PinLoss: Error, Hashable, Sendable {
    /// The statements that can be lost, and what the loss means.
    public enum Subject: String, Hashable, Sendable {
        /// The entry is left out: the form has no such pattern and a wider one would pin other hosts, or the text is
        /// not a valid host pattern. ``PinLoss/other`` has the reason.
        case pattern
        /// The entry is left out: its host is an IP address, and the form pins domain names alone.
        case address
        /// The entry is left out: the form cannot express the positions of its pins and would demand something else.
        case unsupportedPosition
        /// The entry is left out: an earlier entry has the same pattern, or the same name if the form allows each name
        /// once.
        case secondEntry
        /// The entry is left out: it has no pins, or none of its pins is kept. An empty entry would be an error, or an
        /// exemption from the pins of a wider entry.
        case noPins
        /// The header is left out: only the first of its name counts (RFC 7469 2.3.1).
        case secondHeader
        /// A pin of an authority is left out, because the form compares pins only with the server's own key.
        case authorityPin
        /// The position of pins changes: anywhere in the chain instead of one position, or the reverse.
        case position
        /// The form does not mark backups.
        case backupRole
        /// The reason for having no backup.
        case singlePinReason
        /// The expiry is lost: the pins never expire.
        case expiry
        /// The entry never expires, but the form requires an expiry: the pins expire after 60 days.
        case endlessness
        /// The expiry loses its time of day and is up to a day earlier.
        case timeOfDay
        /// The mode changes: a report-only entry is enforced, or the reverse.
        case mode
        /// Forbidden keys are lost.
        case forbiddenKeys
        /// The form names no hosts, so the user must assign the pins to the host.
        case host
        /// Two patterns cover one host: one form unites their pins, in the other the more specific pattern decides
        /// alone.
        case union
        /// The form demands a leaf pin and an authority's pin; here one of them is enough.
        case conjunction
        /// Subdomains of more than one label are pinned in one form and not in the other.
        case depth
        /// An address for reports.
        case reportAddress
        /// An exemption from the pins of a wider entry is lost; if that entry is kept, the losses have a ``widening``
        /// too.
        case exclusion
        /// The entry now also decides for the hosts of `other`, whose own entry or exemption is not kept.
        case widening
        /// Trust anchors of the user or for debugging that bypass the pins.
        case localAnchors
        /// Pins of another hash than SHA-256.
        case otherHash
        /// The port and the protocol that the pins are for; here they are for the host.
        case service
        /// Records of another service of the host are left out; ``PinLoss/other`` is its port and protocol, empty for records without.
        case otherService
        /// Records of a zone that are not pins; ``PinLoss/other`` names them.
        case record
        /// Neither the owner of a record nor an `$ORIGIN` before it ends in a dot: it was read as a whole name.
        case origin
        /// A directive that RFC 7469 does not have; ``PinLoss/other`` is its name.
        case directive
    }

    /// The statement that the other form cannot express.
    public let subject: Subject
    /// The host pattern; empty for the whole file.
    public let pattern: String
    /// A detail: another pattern, a pin, or the reason why a pattern cannot be written; empty if the subject has no
    /// detail.
    public let other: String

    /// Whether the whole entry is left out.
    public var isOfWholeEntry: Bool {
        switch subject {
        case .pattern, .address, .unsupportedPosition, .secondEntry, .noPins, .secondHeader: true
        default: false
        }
    }

    init(_ subject: Subject, _ pattern: String = "", _ other: String = "") {
        self.subject = subject
        self.pattern = pattern
        self.other = other
    }
}

extension PinLoss: CustomStringConvertible {
    /// One line: what is lost, and where.
    public var description: String {
        let what =
            switch subject {
            case .pattern: "left out: \(other)"
            case .address:
                "left out: the host is an IP address, and this form pins domain names alone; pin the server's name"
            case .unsupportedPosition:
                "left out: this form cannot express the positions of these pins; give all of them one position that "
                    + "it has, leaf or issuer, as the form json can"
            case .secondEntry: "left out: an earlier entry has this pattern or name"
            case .noPins: "left out: none of its pins is kept"
            case .secondHeader: "a second header of its name is left out: only the first counts (RFC 7469 2.3.1)"
            case .authorityPin:
                "left out the pin \(other): an authority's, and this form compares pins only with the server's own key"
            case .position: "the position of pins in the chain is not kept"
            case .backupRole: "the marks of backup pins are not kept"
            case .singlePinReason: "the reason for having no backup is not kept"
            case .expiry: "the expiry is not kept"
            case .endlessness: "it never expires, but expires in 60 days here, because this form requires an expiry"
            case .timeOfDay: "the expiry's time of day is not kept: it expires when that day begins"
            case .mode: "the mode (enforce or report only) is not kept"
            case .forbiddenKeys: "forbidden keys are not kept"
            case .host: "the host is not kept, apart from a comment"
            case .union:
                "overlaps with \(other): one form unites their pins, in the other the more specific pattern decides alone"
            case .conjunction: "the form demands a leaf and an authority; here one of them is enough"
            case .depth:
                "Apple's subdomains have one label more, ours any number: deeper subdomains are pinned in one form only"
            case .reportAddress: "the address for reports is not kept"
            case .exclusion: "its exemption from the pins of wider entries is not kept"
            case .widening: "its pins now also apply to \(other), whose own entry or exemption is not kept"
            case .localAnchors: "exceptions for local trust anchors are not kept: the pins apply to all chains"
            case .otherHash: "pins of another hash are left out"
            case .service: "the port and the protocol are not kept: the pins are for the host"
            case .otherService:
                "left out the records of \(other.isEmpty ? "the name without a port" : other), another service with other keys: "
                    + "convert them alone, for the clients of that service"
            case .record: "left out \(other)"
            case .origin:
                "its record was read as one of this whole name, because neither the owner nor an $ORIGIN before it ends in a dot"
            case .directive:
                "left out the directive \(other), which RFC 7469 does not have: check its spelling"
            }
        guard !pattern.isEmpty else { return what }
        // An invalid pattern can be any text, including line breaks.
        let isPlain = pattern.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let quoted = "\"\(pattern.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())\""
        return "\(isPlain ? pattern : quoted): \(what)"
    }
}

/// Why a text cannot be read as a form of pins.
public enum PinFormatError: Error, Equatable, Sendable {
    /// The text exceeds the limit.
    case tooLarge(bytes: Int, limit: Int)
    /// The value at `place` (a line, or a path of keys; empty for the whole text) is malformed.
    case malformed(place: String, problem: String)
    /// The text at `place` is not a valid pin.
    case invalidPin(place: String, reason: PinError)
    /// The form names no hosts, and the caller gave none.
    case hostNeeded
}

extension PinFormatError: CustomStringConvertible {
    /// One line: where, what is wrong, and what to do.
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit): "\(bytes) bytes: at most \(limit) are read; split the file"
        case .malformed(let place, let problem): place.isEmpty ? problem : "\(place): \(problem)"
        case .invalidPin(let place, let reason): "\(place): \(reason)"
        case .hostNeeded: "this form names no host: give the host pattern of the pins"
        }
    }
}

/// The place of an error that concerns the whole text.
let wholeText = ""

/// Reads a pin and adds the place to its error.
func pin(_ text: some StringProtocol, at place: String) throws(PinFormatError) -> Pin {
    do throws(PinError) {
        return try Pin(parsing: text)
    } catch {
        throw .invalidPin(place: place, reason: error)
    }
}

/// The base of a pattern, and whether it includes subdomains of any depth. Throws a loss for a wildcard of one label,
/// which most other forms do not have.
///
/// - Parameter takesIPv4: whether the form can name a host that is an IPv4 address. None takes an IPv6 address.
func domain(
    of pattern: String,
    takesIPv4: Bool = false
) throws(PinLoss) -> (name: String, includesSubdomains: Bool) {
    if pattern.hasPrefix("**.") { return (String(pattern.dropFirst(3)), true) }
    guard !pattern.hasPrefix("*.") else {
        let reason =
            "'*.' is for subdomains of one label, which this form lacks; name each host, or write '**.'"
        throw PinLoss(.pattern, pattern, reason)
    }
    guard let parsed = try? HostPattern(parsing: pattern), parsed.isAddress else { return (pattern, false) }
    guard takesIPv4 else { throw PinLoss(.address, pattern) }
    // A pattern is written canonically here, so an IPv6 address has its brackets.
    guard !pattern.hasPrefix("[") else {
        let reason = "clients of this form spell an IPv6 address with brackets or without; pin the server's name"
        throw PinLoss(.pattern, pattern, reason)
    }
    return (pattern, false)
}

/// The pattern of a domain that may include its subdomains.
func pattern(_ name: String, includesSubdomains: Bool) -> String { includesSubdomains ? "**." + name : name }

extension PinPolicy.Entry {
    /// Primary and backup pins.
    var allPins: [PositionedPin] { pins + backupPins }

    /// The losses of a form that has only hosts, pins and the properties in `keeping`.
    func losses(keeping kept: Set<PinLoss.Subject>) -> [PinLoss] {
        var found: [PinLoss.Subject] = []
        if allPins.contains(where: { $0.position != .any }) { found.append(.position) }
        if case .pins = backup { found.append(.backupRole) }
        if case .unsafeSinglePin = backup { found.append(.singlePinReason) }
        if expiry != nil { found.append(.expiry) }
        if mode == .reportOnly { found.append(.mode) }
        if !forbidden.isEmpty { found.append(.forbiddenKeys) }
        return found.filter { !kept.contains($0) }.map { PinLoss($0, host) }
    }
}
