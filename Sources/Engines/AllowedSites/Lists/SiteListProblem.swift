/// One line of a list that is wrong.
public struct SiteListProblem: Equatable, Sendable {
    /// The line, counted from 1.
    public let line: Int
    /// The place in the line, in UTF-8 bytes counted from 1.
    public let column: Int
    /// What is wrong there.
    public let reason: Reason

    /// What can be wrong with a line.
    public enum Reason: Equatable, Sendable {
        /// The rule cannot be parsed.
        case rule(SiteRuleError.Reason)
        /// Something that is no comment follows the rule.
        case textAfterRule
        /// White space behind `!`, so that no rule follows it.
        case blankBehindMark
        /// A `#!` line that is not a known directive.
        case unknownDirective
        /// A NUL byte.
        case nul
        /// A carriage return that no line feed follows; some programs see a new line there.
        case loneCarriageReturn
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// The line has more bytes than ``SiteList/maximumLineLength``.
        case tooLong
    }
}

extension SiteListProblem.Reason: CustomStringConvertible {
    /// What is wrong and what to write instead.
    public var description: String {
        switch self {
        case .rule(let reason): reason.description
        case .textAfterRule: "one rule a line: put this on its own line, or '#' before a comment"
        case .blankBehindMark: "white space behind '!': write the exception right behind it, as in !host.example"
        case .unknownDirective: "unknown directive: write '#! allow-public-suffix', or '# ' for a comment"
        case .nul: "a NUL byte: save the list as UTF-8 text"
        case .loneCarriageReturn: "a carriage return without a line feed: end lines with LF or CRLF"
        case .invalidUTF8: "this is not UTF-8: save the list as UTF-8 text"
        case .tooLong: "a line has at most \(SiteList.maximumLineLength) bytes: is this a list?"
        }
    }
}

extension SiteListProblem: CustomStringConvertible {
    /// One line: where it is, what is wrong and what to write instead.
    public var description: String { "line \(line), column \(column): \(reason)" }
}
