public import Hostnames

/// The answer to whether credentials may go to a URL, with the rule that decided. Creating one allocates nothing.
public enum SiteVerdict: Equatable, Sendable {
    /// Allowed by this rule.
    case allowed(RuleReference)
    /// No credential may go there; why.
    case denied(Denial)
    /// Denied, because the URL is malformed, or programs may read it differently.
    case invalid(URLLocationError)

    /// Why a request is denied.
    public enum Denial: Equatable, Sendable {
        /// The list has no rule for this host.
        case noRule
        /// The rules of this host are for the other scheme.
        case otherScheme(nearest: RuleReference)
        /// The rules of this host are for other ports.
        case otherPort(nearest: RuleReference)
        /// The rules of this host are for other paths.
        case otherPath(nearest: RuleReference)
        /// The rules of this host are for certain paths, and servers read this path differently; see ``PathDoubt``.
        case uncertainPath(nearest: RuleReference)
        /// An exception denies the request.
        case exception(RuleReference)
    }

    /// Whether the answer is yes.
    public var isAllowed: Bool {
        switch self {
        case .allowed: true
        case .denied, .invalid: false
        }
    }

    /// The rule that decided, or the rule that fits best.
    public var rule: RuleReference? {
        switch self {
        case .allowed(let rule), .denied(.otherScheme(let rule)), .denied(.otherPort(let rule)),
            .denied(.otherPath(let rule)), .denied(.uncertainPath(let rule)), .denied(.exception(let rule)):
            rule
        case .denied(.noRule), .invalid: nil
        }
    }
}

/// A reference to a rule: its line in its list. ``SiteTrie/rule(at:)`` returns the rule.
public struct RuleReference: Hashable, Sendable {
    /// The line of the list, counted from 1; 0 if the trie was compiled without lines.
    public let line: Int
    /// The number of the rule in its trie; unrelated to the order of the list.
    package let position: Int

    package init(line: Int, position: Int) {
        self.line = line
        self.position = position
    }
}

extension SiteVerdict: CustomStringConvertible {
    /// One line with the answer and its reason.
    public var description: String {
        var text: [UInt8] = []
        append(to: &text, list: nil)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the description, with the name of the list that contains the line.
    func append(to text: inout [UInt8], list name: String?) {
        switch self {
        case .allowed(let rule):
            text.append(contentsOf: "allowed by ".utf8)
            rule.append(to: &text, list: name)
        case .denied(let denial):
            text.append(contentsOf: "denied: ".utf8)
            denial.append(to: &text, list: name)
        case .invalid(let error):
            text.append(contentsOf: "invalid: \(error)".utf8)
        }
    }
}

extension RuleReference {
    fileprivate func append(to text: inout [UInt8], list name: String?) {
        text.append(contentsOf: "line ".utf8)
        text.append(contentsOf: String(line).utf8)
        guard let name else { return }
        text.append(contentsOf: " of ".utf8)
        text.append(contentsOf: name.utf8)
    }
}

extension SiteVerdict.Denial: CustomStringConvertible {
    /// The reason, without line ends.
    public var description: String {
        var text: [UInt8] = []
        append(to: &text, list: nil)
        return String(decoding: text, as: UTF8.self)
    }

    fileprivate func append(to text: inout [UInt8], list name: String?) {
        switch self {
        case .noRule: text.append(contentsOf: "no rule allows this host".utf8)
        case .otherScheme(let rule):
            rule.append(to: &text, list: name)
            text.append(contentsOf: " is for another scheme".utf8)
        case .otherPort(let rule):
            rule.append(to: &text, list: name)
            text.append(contentsOf: " is for another port".utf8)
        case .otherPath(let rule):
            rule.append(to: &text, list: name)
            text.append(contentsOf: " is for another path".utf8)
        case .uncertainPath(let rule):
            rule.append(to: &text, list: name)
            text.append(contentsOf: " is for a path, and servers read this path differently".utf8)
        case .exception(let rule):
            text.append(contentsOf: "the exception in ".utf8)
            rule.append(to: &text, list: name)
        }
    }
}
