/// Why a text is not a site list.
public enum SiteListError: Error, Equatable, Sendable {
    /// The text has more than `limit` bytes.
    case tooManyBytes(limit: Int)
    /// The text has more than `limit` lines.
    case tooManyLines(limit: Int)
    /// The text begins with the byte order mark of UTF-16.
    case utf16
    /// The lines that are wrong; at least one.
    case badLines(SiteListProblems)
    /// Bad lines were to be left out, but these may be exceptions, without which the list would allow more; at least one.
    case badExceptions(SiteListProblems)
    /// Bad lines were to be left out, but these may speak of hosts that wider rules of the list allow, and would then allow
    /// altogether; at least one.
    case badNarrowings(SiteListProblems)
}

/// The bad lines of a list.
public struct SiteListProblems: Equatable, Sendable {
    /// The first ones in the order of lines, at most ``maximumListed``.
    public internal(set) var listed: [SiteListProblem] = []
    /// How many there are, those included that are not listed.
    public internal(set) var count = 0

    /// How many bad lines are remembered, so that a file which is no list at all does not fill memory.
    public static let maximumListed = 1000

    /// Whether every line is right.
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
    /// A line for each bad line, and how many more there are when not all are listed.
    public var description: String {
        var lines = listed.map(\.description)
        if count > listed.count { lines.append("and \(count - listed.count) more bad lines") }
        return lines.joined(separator: "\n")
    }
}

extension SiteListError: CustomStringConvertible {
    /// One line; of several bad lines the first one and how many more there are.
    public var description: String {
        switch self {
        case .tooManyBytes(let limit): "the list has more than \(limit) bytes: split it"
        case .tooManyLines(let limit): "the list has more than \(limit) lines: split it"
        case .utf16: "the list is UTF-16: save it as UTF-8"
        case .badLines(let problems): Self.summary(problems)
        case .badExceptions(let problems):
            "\(Self.summary(problems)); a bad line that may be an exception is never left out, or the list would allow more: correct it"
        case .badNarrowings(let problems):
            "\(Self.summary(problems)); without this line a wider rule of the list would allow the whole host: correct it"
        }
    }

    private static func summary(_ problems: SiteListProblems) -> String {
        (problems.listed.first?.description ?? "") + (problems.count > 1 ? " (and \(problems.count - 1) more)" : "")
    }
}
