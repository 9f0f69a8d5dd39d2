/// One bad line of a list.
public struct SiteListProblem: Equatable, Sendable {
    /// The line, counted from 1.
    public let line: Int
    /// The column, in UTF-8 bytes counted from 1.
    public let column: Int
    /// What is wrong.
    public let reason: Reason

    /// The kinds of problems.
    public enum Reason: Equatable, Sendable {
        /// The rule cannot be parsed.
        case rule(SiteRuleError.Reason)
        /// Text other than a comment follows the rule.
        case textAfterRule
        /// White space directly after `!`.
        case blankBehindMark
        /// A `#!` line that is not a known directive.
        case unknownDirective
        /// A NUL byte.
        case nul
        /// A carriage return without a line feed; some programs read a new line there.
        case loneCarriageReturn
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// The line has more bytes than ``SiteList/maximumLineLength``.
        case tooLong
    }
}

extension SiteListProblem.Reason: CustomStringConvertible {
    /// The problem and the remedy.
    public var description: String {
        switch self {
        case .rule(let reason): reason.description
        case .textAfterRule: "only one rule is allowed on a line: write this on its own line, or '#' before a comment"
        case .blankBehindMark: "white space follows '!': write the host directly after it, as in !host.example"
        case .unknownDirective: "unknown directive: write '#! allow-public-suffix', or '# ' for a comment"
        case .nul: "a NUL byte: save the list as UTF-8 text"
        case .loneCarriageReturn: "a carriage return without a line feed: end lines with LF or CRLF"
        case .invalidUTF8: "this is not UTF-8: save the list as UTF-8 text"
        case .tooLong:
            "the line is longer than \(SiteList.maximumLineLength) bytes: check that this file is a site list"
        }
    }
}

extension SiteListProblem: CustomStringConvertible {
    /// One line: place, problem and remedy.
    public var description: String { "line \(line), column \(column): \(reason)" }
}
