import Foundation
import HTTPAuthentication
import TestSupport

/// A row of the table: what a server does, what is on the wire, and what the caller gets.
struct ConformanceRow: Sendable {
    let name: String
    /// The specification, or the program that behaves so.
    let source: String
    let route: Route
    /// The schemes of the profile.
    let schemes: [AuthenticationScheme]
    let requests: [RowRequest]
    let usual: Expectation
    /// What another host does, and why.
    let exceptions: [Host: Expectation]
    /// The hosts that the row cannot be tried with.
    let skipped: Set<Host>

    /// Who is asked.
    enum Route: String, Sendable, CaseIterable {
        /// The origin, directly.
        case origin
        /// The origin, through a proxy that reads the request.
        case proxy
        /// The proxy, for a tunnel.
        case tunnel
    }

    /// What the server does, and what must be seen.
    struct Expectation: Sendable {
        /// What the server does with each request in the order in which they come.
        var replies: [RowReply]
        var seen: Seen
    }

    /// What must be seen.
    struct Seen: Sendable, Equatable, CustomStringConvertible {
        /// Each request as the server sees it: connection, method, answers, and the bytes of the body.
        var wire: [String]
        /// What the caller gets for each request.
        var results: [String]

        var description: String { "\(wire.joined(separator: " | ")) => \(results.joined(separator: " | "))" }
    }

    /// Whether a host goes on when its time is over. It is short then, and otherwise no time is ever over.
    var isTimed: Bool { usual.replies.contains(where: \.isTimed) }

    func expectation(of host: Host) -> Expectation { exceptions[host] ?? usual }

    /// All rows of `rows.txt`.
    static func all() throws -> [ConformanceRow] {
        let place = HelperFile.url("rows.txt")
        let text = try String(contentsOf: place, encoding: .utf8)
        return try text.components(separatedBy: "\n## ").dropFirst().map(ConformanceRow.init)
    }
}

/// A row that cannot be read.
struct RowError: Error {
    let row: String
    let problem: String
}

extension ConformanceRow {
    /// Reads a name and lines of `key: value`.
    fileprivate init(_ text: String) throws {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let name = String(lines[0])
        var values: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ": ", maxSplits: 1)
            guard parts.count == 2 else { throw RowError(row: name, problem: "\(line)") }
            guard values.updateValue(String(parts[1]), forKey: String(parts[0])) == nil else {
                throw RowError(row: name, problem: "twice: \(line)")
            }
        }
        func list(_ key: String) -> [String]? {
            values.removeValue(forKey: key)?.components(separatedBy: " | ").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
        func needed(_ key: String) throws -> [String] {
            guard let list = list(key) else { throw RowError(row: name, problem: "no \(key)") }
            return list
        }
        self.name = name
        source = try needed("source").joined()
        guard let route = Route(rawValue: values.removeValue(forKey: "route") ?? "origin") else {
            throw RowError(row: name, problem: "route")
        }
        self.route = route
        schemes = (values.removeValue(forKey: "schemes") ?? "basic").split(separator: " ").map {
            AuthenticationScheme(String($0))
        }
        requests = try needed("request").map { try RowRequest($0, row: name) }
        func replies(_ words: [String]) throws -> [RowReply] { try words.map { try RowReply($0, row: name) } }
        let usual = Expectation(
            replies: try replies(needed("server")),
            seen: Seen(wire: try needed("wire"), results: try needed("result"))
        )
        self.usual = usual
        var exceptions: [Host: Expectation] = [:]
        var skipped: Set<Host> = []
        for host in Host.allCases {
            if list("\(host).skip") != nil { skipped.insert(host) }
            let (server, wire, results) = (list("\(host).server"), list("\(host).wire"), list("\(host).result"))
            guard server != nil || wire != nil || results != nil else { continue }
            guard list("\(host).why") != nil else { throw RowError(row: name, problem: "no \(host).why") }
            exceptions[host] = Expectation(
                replies: try server.map(replies) ?? usual.replies,
                seen: Seen(wire: wire ?? usual.seen.wire, results: results ?? usual.seen.results)
            )
        }
        self.exceptions = exceptions
        self.skipped = skipped
        if let rest = values.keys.first { throw RowError(row: name, problem: "what is \(rest)?") }
    }
}
