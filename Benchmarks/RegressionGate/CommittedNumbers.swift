/// What a hot operation is known to cost: one small file in git for each, under a folder for the compiler and the
/// architecture.
///
/// ```
/// allocations 0                          for one operation, on average
/// instructions 182.4                     the same, counted by callgrind
/// retains 0                              how often it retains an object, the same
/// ratio amd-epyc scalar 1.234 0.05       machine, yardstick, ratio, tolerance as a part of it
/// watched amd-epyc wide 1.5 0.12         the same, of an operation too variable for the ratio gate
/// ```
package struct CommittedNumbers: Equatable, Sendable {
    /// A ratio holds for one kind of machine: another processor has other strengths.
    package struct Ratio: Equatable, Sendable {
        package let yardstick: String
        package let value: Double
        package let tolerance: Double

        /// Whether the ratio alone may fail a change; the exact counts gate an operation in any case.
        package var isGated: Bool { tolerance <= Tolerance.beside(yardstick).most(for: value) }

        package init(yardstick: String, value: Double, tolerance: Double) {
            self.yardstick = yardstick
            self.value = value
            self.tolerance = tolerance
        }
    }

    /// A line that matches no form above.
    package enum ReadingError: Error, Equatable, Sendable, CustomStringConvertible {
        case unreadableLine(Int)

        package var description: String {
            switch self {
            case .unreadableLine(let line):
                "line \(line) is not a valid allocations, instructions, retains, ratio or watched line: repair it, or use --update"
            }
        }
    }

    package var allocations: Double?
    package var instructions: Double?
    package var retains: Double?
    /// By machine.
    package var ratios: [String: Ratio] = [:]

    package init() {}

    /// Reads a file.
    package init(parsing text: String) throws(ReadingError) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(separator: " ").map(String.init)
            switch (words.first, words.count) {
            case (nil, _): continue
            case ("allocations", 2):
                guard let number = Double(words[1]) else { throw .unreadableLine(index + 1) }
                allocations = number
            case ("instructions", 2):
                guard let number = Double(words[1]) else { throw .unreadableLine(index + 1) }
                instructions = number
            case ("retains", 2):
                guard let number = Double(words[1]) else { throw .unreadableLine(index + 1) }
                retains = number
            case ("ratio", 5), ("watched", 5):
                guard let value = Double(words[3]), let tolerance = Double(words[4]) else {
                    throw .unreadableLine(index + 1)
                }
                let ratio = Ratio(yardstick: words[2], value: value, tolerance: tolerance)
                // The first word must agree with the tolerance, so that a larger tolerance cannot take an operation out of the gate
                // unnoticed.
                guard value > 0, ratio.isGated == (words[0] == "ratio") else { throw .unreadableLine(index + 1) }
                ratios[words[1]] = ratio
            default: throw .unreadableLine(index + 1)
            }
        }
    }

    /// The file's text.
    package var lines: [String] {
        var lines: [String] = []
        if let allocations { lines.append("allocations \(Figure.text(allocations))") }
        if let instructions { lines.append("instructions \(Figure.text(instructions))") }
        if let retains { lines.append("retains \(Figure.text(retains))") }
        for (machine, ratio) in ratios.sorted(by: { $0.key < $1.key }) {
            let figures = "\(ratio.yardstick) \(Figure.text(ratio.value)) \(Figure.text(ratio.tolerance))"
            lines.append("\(ratio.isGated ? "ratio" : "watched") \(machine) \(figures)")
        }
        return lines
    }

    /// Where the numbers of an operation stand, below the folder of the compiler: one path segment.
    package static func fileName(of operation: String) -> String {
        operation.replacing("/", with: "_") + ".txt"
    }
}

/// Four digits behind the point, and none that say nothing.
package enum Figure {
    package static func text(_ value: Double) -> String {
        let scaled = (value * 10_000).rounded()
        guard scaled.magnitude < 9e15 else { return "\(value)" }
        let (whole, part) = Int(scaled).quotientAndRemainder(dividingBy: 10_000)
        guard part != 0 else { return "\(whole)" }
        var digits = String(part.magnitude)
        digits = String(repeating: "0", count: 4 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return (scaled < 0 && whole == 0 ? "-" : "") + "\(whole)." + digits
    }
}
