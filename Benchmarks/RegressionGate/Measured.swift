/// What was measured of one operation: lines that the meter and the script write, fields apart by a tab.
///
/// ```
/// allocations   OPERATION  NUMBER
/// instructions  OPERATION  NUMBER
/// retains       OPERATION  NUMBER
/// ratio         OPERATION  YARDSTICK  NUMBER
/// ```
package struct Measured: Equatable, Sendable {
    package var allocations: Double?
    package var instructions: Double?
    package var retains: Double?
    package var yardstick: String?
    /// One for each run of the meter.
    package var ratios: [Double] = []

    /// A line that matches no form above.
    package struct UnreadableLine: Error, Equatable, Sendable, CustomStringConvertible {
        package let number: Int

        package init(number: Int) { self.number = number }

        package var description: String {
            "line \(number) of the measurements is not a valid allocations, instructions, retains or ratio line: measure again"
        }
    }

    package init() {}

    /// Reads all lines; operations in the order of their first appearance.
    package static func read(_ text: String) throws(UnreadableLine) -> [(operation: String, measured: Measured)] {
        var order: [String] = []
        var all: [String: Measured] = [:]
        for (index, line) in text.split(separator: "\n").enumerated() {
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count >= 3, let number = Double(fields[fields.count - 1]) else {
                throw UnreadableLine(number: index + 1)
            }
            if all[fields[1]] == nil { order.append(fields[1]) }
            var measured = all[fields[1], default: Measured()]
            switch (fields[0], fields.count) {
            case ("allocations", 3): measured.allocations = number
            case ("instructions", 3): measured.instructions = number
            case ("retains", 3): measured.retains = number
            case ("ratio", 4):
                measured.yardstick = fields[2]
                measured.ratios.append(number)
            default: throw UnreadableLine(number: index + 1)
            }
            all[fields[1]] = measured
        }
        return order.compactMap { name in all[name].map { (name, $0) } }
    }

    /// The numbers to commit; what was not measured stays as it was.
    package func updating(_ committed: CommittedNumbers, machine: String) -> CommittedNumbers {
        var numbers = committed
        if let allocations { numbers.allocations = allocations }
        if let instructions { numbers.instructions = instructions }
        if let retains { numbers.retains = retains }
        if let yardstick, !ratios.isEmpty {
            let (value, tolerance) = Tolerance.beside(yardstick).learned(from: ratios)
            numbers.ratios[machine] = .init(yardstick: yardstick, value: value, tolerance: tolerance)
        }
        return numbers
    }
}
