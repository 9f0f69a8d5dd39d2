/// Why a text is not a site list.
public enum SiteListError: Error, Equatable, Sendable {
    /// The text has more than `limit` bytes.
    case tooManyBytes(limit: Int)
    /// The text has more than `limit` lines.
    case tooManyLines(limit: Int)
    /// The text begins with the byte order mark of UTF-16.
    case utf16
    /// The bad lines; at least one.
    case badLines(SiteListProblems)
    /// Bad lines that cannot be left out, because they may be exceptions and the list would allow more without them; at
    /// least one.
    case badExceptions(SiteListProblems)
    /// Bad lines that cannot be left out, because wider rules of the list would then allow their hosts completely; at
    /// least one.
    case badNarrowings(SiteListProblems)
}

/// The bad lines of a list.
public struct SiteListProblems: Equatable, Sendable {
    /// The first bad lines in the order of lines, at most ``maximumListed``.
    public internal(set) var listed: [SiteListProblem] = []
    /// The number of bad lines, including those that are not listed.
    public internal(set) var count = 0

    /// The largest number of listed lines, so that a file of another kind does not fill memory.
    public static let maximumListed = 1000

    /// Whether the list has no bad lines.
    public var isEmpty: Bool { count == 0 }

    init(_ problems: [SiteListProblem] = []) {
        for problem in problems { add(problem) }
    }

    mutating func add(_ problem: SiteListProblem) {
        count += 1
        if listed.count < Self.maximumListed { listed.append(problem) }
    }

    /// The bad lines of both, in the order of lines.
    func merging(_ others: SiteListProblems) -> SiteListProblems {
        var merged = SiteListProblems()
        let all = (listed + others.listed).sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        merged.listed = Array(all.prefix(Self.maximumListed))
        merged.count = count + others.count
        return merged
    }
}

extension SiteListProblems: CustomStringConvertible {
    /// One line for each listed bad line, and the number of the others.
    public var description: String {
        var lines = listed.map(\.description)
        if count > listed.count { lines.append("and \(count - listed.count) more bad lines") }
        return lines.joined(separator: "\n")
    }
}

extension SiteListError: CustomStringConvertible {
    /// One line: the first problem and the number of further ones.
    public var description: String {
        switch self {
        case .tooManyBytes(let limit): "the list has more than \(limit) bytes: split it"
        case .tooManyLines(let limit): "the list has more than \(limit) lines: split it"
        case .utf16: "the list is UTF-16: save it as UTF-8"
        case .badLines(let problems): Self.summary(problems)
        case .badExceptions(let problems):
            "\(Self.summary(problems)); this line may be an exception, so the list would allow more without it: correct it"
        case .badNarrowings(let problems):
            "\(Self.summary(problems)); a wider rule of the list would allow the whole host without this line: correct it"
        }
    }

    private static func summary(_ problems: SiteListProblems) -> String {
        (problems.listed.first?.description ?? "") + (problems.count > 1 ? " (and \(problems.count - 1) more)" : "")
    }
}
