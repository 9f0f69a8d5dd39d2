/// The numbers beside an axis. The last one is not below the greatest value, so that no mark stands beyond the numbers.
package enum Ticks {
    /// Whole numbers from 0 in equal steps of 1, 2 or 5 times a power of ten.
    ///
    /// - Parameters:
    ///   - value: the greatest value; not negative.
    ///   - most: the most steps.
    package static func whole(to value: Double, most: Int) -> [Double] {
        var power = 1.0
        while power < .greatestFiniteMagnitude / 100 {
            for factor in [1.0, 2, 5] {
                let step = factor * power
                let count = max(1, (value / step).rounded(.up))
                if count <= Double(most) { return (0...Int(count)).map { Double($0) * step } }
            }
            power *= 10
        }
        return [0, value]
    }

    /// Powers of ten from the last one that is not above `low`, each an equal number of decades after the one before.
    ///
    /// - Parameters:
    ///   - low: the least value; below 1 it counts as 1.
    ///   - high: the greatest value; at most 10^18.
    ///   - most: the most steps.
    package static func decades(from low: Double, to high: Double, most: Int) -> [Double] {
        let greatest = 18
        var powers = [1.0]
        while powers.count <= greatest, let last = powers.last { powers.append(last * 10) }
        let first = powers.lastIndex { $0 <= max(low, 1) } ?? 0
        let last = max(first + 1, powers.firstIndex { $0 >= high } ?? greatest)
        let step = (last - first + most - 1) / most
        let count = (last - first + step - 1) / step
        return (0...count).map { index in
            var power = powers[first]
            for _ in 0..<(index * step) { power *= 10 }
            return power
        }
    }
}
