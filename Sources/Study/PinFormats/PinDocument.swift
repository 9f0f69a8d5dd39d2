public import SPKIPins

/// What a file of pins says, in our terms, and what of it our terms cannot say.
public struct PinDocument: Sendable {
    /// The entries; `PinPolicy(compiling:version:at:)` judges them.
    public var entries: [PinPolicy.Entry]
    /// What was in the file and is not in the entries.
    public var losses: [PinLoss]

    /// Pairs entries with what was lost on the way to them.
    public init(entries: [PinPolicy.Entry], losses: [PinLoss] = []) {
        self.entries = entries
        self.losses = losses
    }
}

/// Something that one form of pins says and another cannot.
public struct PinLoss: Error, Hashable, Sendable {
    /// What is lost.
    public enum Subject: String, Hashable, Sendable {
        /// The entry is left out: its pattern has no counterpart, and a wider one would pin hosts that nobody meant; or it is no
        /// host pattern. ``PinLoss/other`` has the reason.
        case pattern
        /// The entry is left out: its host is an IP address, and the form pins domain names alone.
        case address
        /// The entry is left out: the form cannot say where in the chain its pins count, and would demand something else.
        case unsupportedPosition
        /// The entry is left out: another one for the same pattern stands before it, or for the same name where the form has
        /// each name once.
        case secondEntry
        /// The entry is left out: it has no pin, or none of those that it had is kept. Written, it would be an error, or an
        /// exemption from the pins of a wider entry.
        case noPins
        /// The header is left out: only the first of its name counts (RFC 7469 2.3.1).
        case secondHeader
        /// A pin of an authority is left out, as the form holds pins against the server's own key alone.
        case authorityPin
        /// Pins count anywhere in the chain, or only in one place, against what was written.
        case position
        /// Nobody can tell any more which pins are backups.
        case backupRole
        /// Why there is no backup.
        case singlePinReason
        /// The pins hold for ever.
        case expiry
        /// The pins were to hold for ever, and the form has none such: they hold for 60 days.
        case endlessness
        /// The expiry has lost its time of day, and is up to a day earlier.
        case timeOfDay
        /// A mismatch is enforced, though it was only to be reported, or the other way round.
        case mode
        /// Keys that must not be used are not named.
        case forbiddenKeys
        /// The form names no hosts; whoever uses it must put the right pins to the right host.
        case host
        /// Two patterns that cover one host are united in one form, while in the other the more specific one decides alone.
        case union
        /// A leaf pin and an authority's pin were both demanded; here one is enough.
        case conjunction
        /// Subdomains of more than one label: in one form they are pinned, in the other not.
        case depth
        /// An address for reports.
        case reportAddress
        /// Hosts that were exempted from the pins of a wider entry; where one is kept, there is a ``widening`` as well.
        case exclusion
        /// The entry decides for the hosts of `other` as well, which had an entry or an exemption of their own that is not kept.
        case widening
        /// Trust anchors of the user, or of debugging, that may pass by the pins.
        case localAnchors
        /// Pins of another hash than SHA-256.
        case otherHash
        /// The port and the protocol that the pins are for; here they are for the host.
        case service
    }

    /// What is lost.
    public let subject: Subject
    /// The host pattern concerned; empty for the whole file.
    public let pattern: String
    /// What else it is about: another pattern, a pin, or why a pattern has no counterpart; empty where there is no such thing.
    public let other: String

    /// Whether nothing at all is written of the entry.
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
                "left out: this form cannot say where in the chain these pins count; give all of them one position that "
                    + "it has, leaf or issuer, as the form json can"
            case .secondEntry: "left out: another entry for this pattern or name stands before it"
            case .noPins: "left out: it has no pin that is kept"
            case .secondHeader: "a second header of its name is left out: only the first counts (RFC 7469 2.3.1)"
            case .authorityPin:
                "left out the pin \(other): an authority's, and this form holds pins against the server's own key alone"
            case .position: "where in the chain a pin counts is not kept"
            case .backupRole: "which pins are backups is not kept"
            case .singlePinReason: "the reason for having no backup is not kept"
            case .expiry: "the expiry is not kept"
            case .endlessness: "it never expires, and does in 60 days here: this form has no pins without an end"
            case .timeOfDay: "the expiry's time of day is not kept: it expires when that day begins"
            case .mode: "whether a mismatch is only reported is not kept"
            case .forbiddenKeys: "forbidden keys are not kept"
            case .host: "the host is not kept, apart from a comment"
            case .union:
                "overlaps with \(other): one form unites what the two say, in the other the more specific one decides"
            case .conjunction: "leaf and authority were both demanded; one of them is enough here"
            case .depth:
                "Apple's subdomains are one label more, ours any number: those further down are pinned in one form alone"
            case .reportAddress: "the address for reports is not kept"
            case .exclusion: "its exemption from the pins of wider entries is not kept"
            case .widening: "its pins are now those of \(other) as well, whose own entry or exemption is not kept"
            case .localAnchors: "exceptions for local trust anchors are not kept: nothing passes by the pins"
            case .otherHash: "pins of another hash are left out"
            case .service: "the port and the protocol are not kept: the pins are for the host"
            }
        guard !pattern.isEmpty else { return what }
        // What is no pattern can be any text, lines included.
        let isPlain = pattern.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let quoted = "\"\(pattern.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())\""
        return "\(isPlain ? pattern : quoted): \(what)"
    }
}

/// Why a text is not in the form that it was read as.
public enum PinFormatError: Error, Equatable, Sendable {
    /// The text is larger than we read.
    case tooLarge(bytes: Int, limit: Int)
    /// `place` (a line, or a path of keys; empty for the whole text) does not hold what it must.
    case malformed(place: String, problem: String)
    /// What stands at `place` is no pin.
    case invalidPin(place: String, reason: PinError)
    /// The form names no hosts, and none was given.
    case hostNeeded
}

extension PinFormatError: CustomStringConvertible {
    /// One line: where, what is wrong, and what to do.
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit): "\(bytes) bytes: at most \(limit) are read; split the file"
        case .malformed(let place, let problem): place.isEmpty ? problem : "\(place): \(problem)"
        case .invalidPin(let place, let reason): "\(place): \(reason)"
        case .hostNeeded: "this form names no host: say which pattern it is for"
        }
    }
}

/// The place of an error that is about all of a text.
let wholeText = ""

/// Reads a pin, and puts the place to its error.
func pin(_ text: some StringProtocol, at place: String) throws(PinFormatError) -> Pin {
    do throws(PinError) {
        return try Pin(parsing: text)
    } catch {
        throw .invalidPin(place: place, reason: error)
    }
}

/// A pattern without its wildcard, and whether subdomains of any depth are meant; a loss for one label only, which most
/// other forms cannot say.
///
/// - Parameter takesIPv4: whether the form can name a host that is an IPv4 address. None takes an IPv6 address.
func domain(
    of pattern: String,
    takesIPv4: Bool = false
) throws(PinLoss) -> (name: String, includesSubdomains: Bool) {
    if pattern.hasPrefix("**.") { return (String(pattern.dropFirst(3)), true) }
    guard !pattern.hasPrefix("*.") else {
        let reason = "'*.' is for subdomains of one label, and this form has none such; name each host, or write '**.'"
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

    /// What a form loses that has nothing but hosts and pins; `keeping` is what it does have.
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
