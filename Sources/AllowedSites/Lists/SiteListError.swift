/// Why a text is not a site list.
public enum SiteListError: Error, Equatable, Sendable {
    /// The text has more than `limit` bytes.
    case tooManyBytes(limit: Int)
    /// The text has more than `limit` lines.
    case tooManyLines(limit: Int)
    /// Every line that is wrong, in order; at least one.
    case badLines([SiteListProblem])
}

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
        /// A `#!` line that is not a known directive.
        case unknownDirective
    }
}

extension SiteListProblem: CustomStringConvertible {
    /// One line: where it is, what is wrong and what to write instead.
    public var description: String {
        switch reason {
        case .rule(let reason): "line \(line), column \(column): \(reason)"
        case .textAfterRule:
            "line \(line), column \(column): one rule a line: put this on its own line, or '#' before a comment"
        case .unknownDirective:
            "line \(line), column \(column): unknown directive: write '#! allow-public-suffix', or '# ' for a comment"
        }
    }
}

extension SiteListError: CustomStringConvertible {
    /// One line; of several bad lines the first one and how many more there are.
    public var description: String {
        switch self {
        case .tooManyBytes(let limit): "the list has more than \(limit) bytes: split it"
        case .tooManyLines(let limit): "the list has more than \(limit) lines: split it"
        case .badLines(let problems):
            (problems.first?.description ?? "") + (problems.count > 1 ? " (and \(problems.count - 1) more)" : "")
        }
    }
}
