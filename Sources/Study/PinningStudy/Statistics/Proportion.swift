internal import RealModule

/// A share of hosts. Captures of one host are not independent, so shares never count captures.
public struct Proportion: Codable, Equatable, Sendable {
    /// The number of hosts with the property.
    public let count: Int
    /// The number of all hosts.
    public let total: Int
    /// Wilson's interval (1927) at 95 %; `nil` if the total is 0.
    public let wilson: Band?
    /// Hanley and Lippman-Hand's rule of three (1983): if the count is 0, the share is below this bound at 95 %;
    /// otherwise `nil`.
    public let ruleOfThree: Double?

    /// The 97.5th percentile of the standard normal distribution.
    private static let z = 1.959_963_984_540_054

    init(_ count: Int, of total: Int) {
        self.count = count
        self.total = total
        guard total > 0 else {
            wilson = nil
            ruleOfThree = nil
            return
        }
        let n = Double(total)
        let share = Double(count) / n
        let square = Self.z * Self.z
        let middle = (share + square / (2 * n)) / (1 + square / n)
        let half = Self.z / (1 + square / n) * .sqrt(share * (1 - share) / n + square / (4 * n * n))
        // For counts of 0 and of all, the exact ends are 0 and 1; the formula gives them only up to rounding.
        wilson = Band(low: count == 0 ? 0 : middle - half, high: count == total ? 1 : middle + half)
        ruleOfThree = count == 0 ? min(1, 3 / n) : nil
    }
}

/// The exact sign test.
enum SignTest {
    /// The probability of a split at least as uneven if both signs are equally likely; 1 without pairs.
    static func probability(positive: Int, negative: Int) -> Double {
        let pairs = positive + negative
        guard pairs > 0 else { return 1 }
        var sum = 0.0
        for count in 0...min(positive, negative) {
            let logarithm =
                Double.logGamma(Double(pairs + 1)) - .logGamma(Double(count + 1)) - .logGamma(Double(pairs - count + 1))
            sum += .exp(logarithm - Double(pairs) * .log(2))
        }
        return min(1, 2 * sum)
    }
}
