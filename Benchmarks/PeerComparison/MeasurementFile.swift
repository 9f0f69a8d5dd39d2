/// Measured values, each of one implementation and one operation.
///
/// Peers are programs in any language. They write lines of fields separated by tabs:
/// ```
/// time         WHO  OPERATION  NANOSECONDS       one sample; a line for every round
/// allocations  WHO  OPERATION  NUMBER            for one operation, on average
/// bytes        WHO  OPERATION  NUMBER            memory for each rule or pin
/// about        WHO  TEXT                         its version, and how its work differs from ours
/// absent       WHO  TEXT                         why it could not be measured
/// ```
package struct MeasurementFile {
    /// A measured value.
    package enum Value: Equatable, Sendable {
        case time(Double)
        case allocations(Double)
        case bytes(Double)
    }

    /// The values of one implementation and operation.
    package struct Record {
        package fileprivate(set) var times: [Double] = []
        package fileprivate(set) var allocations: Double?
        package fileprivate(set) var bytes: Double?

        /// The quickest sample: the cost of the work when nothing interrupts it.
        package var best: Double? { times.min() }
        /// The sample in the middle.
        package var median: Double? { quantile(0.5) }
        /// How far apart the middle half of the samples lies, as a part of the median.
        package var spread: Double? {
            guard let low = quantile(0.25), let high = quantile(0.75), let median, median > 0 else { return nil }
            return (high - low) / median
        }

        private func quantile(_ part: Double) -> Double? {
            let sorted = times.sorted()
            return sorted.isEmpty ? nil : sorted[Int(part * Double(sorted.count - 1))]
        }
    }

    /// A line that matches no form above.
    package struct UnreadableLine: Error, CustomStringConvertible {
        package let number: Int
        package var description: String {
            "line \(number) is not a valid time, allocations, bytes, about or absent line: measure again"
        }
    }

    private struct Key: Hashable {
        let who: String
        let operation: String
    }

    private var records: [Key: Record] = [:]
    /// The measured implementations, in the order of their first appearance.
    package private(set) var implementations: [String] = []
    /// Everything that was measured, in the order of its first appearance.
    package private(set) var operations: [String] = []
    /// Versions and remarks.
    package private(set) var remarks: [(who: String, text: String)] = []
    /// The implementations that could not be measured.
    package private(set) var absent: [(who: String, text: String)] = []
    /// The same as lines, in the order in which they were added.
    package private(set) var lines: [String] = []

    package init() {}

    /// Adds a measured value. Of allocations and bytes the last one counts; samples add up.
    package mutating func note(_ value: Value, of operation: String, by who: String) {
        if !implementations.contains(who) { implementations.append(who) }
        if !operations.contains(operation) { operations.append(operation) }
        let key = Key(who: who, operation: operation)
        switch value {
        case .time(let nanoseconds):
            records[key, default: Record()].times.append(nanoseconds)
            lines.append("time\t\(who)\t\(operation)\t\(nanoseconds)")
        case .allocations(let count):
            records[key, default: Record()].allocations = count
            lines.append("allocations\t\(who)\t\(operation)\t\(count)")
        case .bytes(let count):
            records[key, default: Record()].bytes = count
            lines.append("bytes\t\(who)\t\(operation)\t\(count)")
        }
    }

    /// Adds a remark, once.
    package mutating func note(about who: String, _ text: String) {
        guard !remarks.contains(where: { $0 == (who, text) }) else { return }
        remarks.append((who, text))
        lines.append("about\t\(who)\t\(text)")
    }

    /// Adds an implementation that could not be measured, once.
    package mutating func note(absent who: String, _ reason: String) {
        guard !absent.contains(where: { $0.who == who }) else { return }
        absent.append((who, reason))
        lines.append("absent\t\(who)\t\(reason)")
    }

    /// Adds the lines of a measurement file.
    package mutating func add(_ text: String) throws(UnreadableLine) {
        for (index, line) in text.split(separator: "\n").enumerated() {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            switch (fields.first, fields.count) {
            case ("about", 3): note(about: fields[1], fields[2])
            case ("absent", 3): note(absent: fields[1], fields[2])
            case ("time", 4):
                guard let number = Double(fields[3]) else { throw UnreadableLine(number: index + 1) }
                note(.time(number), of: fields[2], by: fields[1])
            case ("allocations", 4):
                guard let number = Double(fields[3]) else { throw UnreadableLine(number: index + 1) }
                note(.allocations(number), of: fields[2], by: fields[1])
            case ("bytes", 4):
                guard let number = Double(fields[3]) else { throw UnreadableLine(number: index + 1) }
                note(.bytes(number), of: fields[2], by: fields[1])
            default: throw UnreadableLine(number: index + 1)
            }
        }
    }

    /// The values of one implementation; `nil` if it was not measured.
    package func record(_ who: String, _ operation: String) -> Record? {
        records[Key(who: who, operation: operation)]
    }
}
