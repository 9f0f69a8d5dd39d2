internal import Foundation

/// How much a test of many cases does: a little in an ordinary run, because it computes without the optimiser, and all of it
/// in `.ci/slow`.
package enum Effort {
    package static let isThorough = variable("SALLYPORT_THOROUGH") != nil

    /// The seeds of an ordinary run are the first of those that `.ci/slow thorough` tries.
    package static func seeds(_ usual: Int, thorough: Int) -> ClosedRange<UInt64> {
        1...UInt64(rounds(usual, thorough: thorough))
    }

    package static func rounds(_ usual: Int, thorough: Int) -> Int { isThorough ? thorough : usual }

    /// Some of many, in their order and at even distances.
    package static func sample<Element>(of all: [Element], usual: Int) -> [Element] {
        guard !isThorough, all.count > usual else { return all }
        return (0..<usual).map { all[$0 * all.count / usual] }
    }

    /// The number that the variable `name` says, for the steps of `.ci/slow` that have one of their own.
    package static func count(_ name: String, usual: Int) -> Int { variable(name).flatMap { Int($0) } ?? usual }

    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
