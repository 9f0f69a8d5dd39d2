/// Rows with a name above a line of marks.
extension SVG {
    private static let rowHeight = 30.0
    /// The most letters of a name; the rest is cut off.
    private static let longestName = 40

    static func height(ofRows count: Int) -> Double { Double(count) * rowHeight + 6 }

    /// The place of a row's marks.
    static func middle(ofRow row: Int) -> Double { Double(row) * rowHeight + 24 }

    mutating func rowName(_ x: Double, _ row: Int, _ name: String) {
        text(x, Self.middle(ofRow: row) - 9, Self.shortened(name, to: Self.longestName), "row")
    }

    /// A line of the grid through the marks of each row, and not through the names.
    mutating func rowGrid(_ x: Double, rows: Int) {
        for row in 0..<rows { line(x, Self.middle(ofRow: row) - 5, x, Self.middle(ofRow: row) + 8, "grid") }
    }
}
