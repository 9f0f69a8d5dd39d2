/// A table in Markdown with aligned columns.
package struct TextTable {
    private let header: [String]
    private var rows: [[String]] = []

    package init(_ header: [String]) { self.header = header }

    package mutating func add(_ row: [String]) {
        precondition(row.count == header.count, "a row of another table")
        rows.append(row)
    }

    /// `nil` without rows.
    package var text: String? {
        guard !rows.isEmpty else { return nil }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ row: [String]) -> String {
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "| " + cells.joined(separator: " | ") + " |"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([line(header), rule] + rows.map(line)).joined(separator: "\n")
    }
}
