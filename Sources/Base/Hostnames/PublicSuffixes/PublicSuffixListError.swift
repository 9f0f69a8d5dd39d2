/// Why bytes are not a list in the form of publicsuffix.org.
public enum PublicSuffixListError: Error, Equatable, Sendable {
    /// The list has more than `limit` bytes.
    case tooManyBytes(limit: Int)
    /// The list has more than `limit` rules.
    case tooManyRules(limit: Int)
    /// The list has no rule.
    case noRules
    /// The list does not end with the mark of its last part, so the end of it may be missing.
    case notWhole
    /// A line is not a rule; `reason` is `nil` if the host could be read.
    case notARule(line: Int, reason: HostnameError?)
    /// The line `VERSION` is not a time such as `2026-10-22_08-36-41_UTC`.
    case badVersion(line: Int)
}

extension PublicSuffixListError: CustomStringConvertible {
    /// One line: what is wrong and what to do.
    public var description: String {
        switch self {
        case .tooManyBytes(let limit): "more than \(limit) bytes; give the list of publicsuffix.org"
        case .tooManyRules(let limit): "more than \(limit) rules; give the list of publicsuffix.org"
        case .noRules: "no rule of a public suffix list; give the list of publicsuffix.org"
        case .notWhole:
            "the line '\(PublicSuffixList.lastMark)' is missing, so the list may have lost its end; get it anew"
        case .notARule(let line, let reason):
            "line \(line) is not a rule of a public suffix list\(reason.map { " (\($0))" } ?? ""); correct it or get the list anew"
        case .badVersion(let line):
            "line \(line): VERSION is not a time such as 2026-10-22_08-36-41_UTC; correct it or get the list anew"
        }
    }
}
