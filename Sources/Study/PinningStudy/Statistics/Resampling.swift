/// A bootstrap over hosts: hosts are drawn with replacement, because captures of one host depend on each other.
struct Resampling {
    /// For each resampling, how often each host was drawn.
    let weights: [[Int]]

    /// Makes `count` resamplings, each of as many hosts as the study has.
    ///
    /// The generator is SplitMix64 (Steele, Lea and Flood, 2014). Another program draws the same hosts with
    /// `floor(hosts * (next >> 11) / 2^53)`.
    init(hosts: Int, count: Int, seed: UInt64) {
        var state = seed
        weights = (0..<count).map { _ in
            var weights = [Int](repeating: 0, count: hosts)
            for _ in 0..<hosts {
                state &+= 0x9E37_79B9_7F4A_7C15
                var mixed = state
                mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
                mixed ^= mixed >> 31
                weights[Int(Double(hosts) * (Double(mixed >> 11) * 0x1p-53))] += 1
            }
            return weights
        }
    }

    /// The band that contains ``StudyParameters/confidence`` of `values`, by nearest ranks; `nil` for an empty array.
    ///
    /// An infinite value means "not reached within the recording" and counts like the others.
    static func band(_ values: [Double]) -> Band? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        // In whole thousandths: 0.025 of 40 is rank 1, but floating point gives rank 2.
        func at(thousandths: Int) -> Double? {
            let rank = (thousandths * sorted.count + 999) / 1000
            let value = sorted[max(rank, 1) - 1]
            return value.isFinite ? value : nil
        }
        return Band(low: at(thousandths: 25), high: at(thousandths: 975))
    }

    /// The band of the mean of `values`, with each resampling's weights.
    func meanBand(_ values: [Double]) -> Band? {
        Self.band(
            weights.map { weights in
                zip(weights, values).reduce(0) { $0 + Double($1.0) * $1.1 } / Double(values.count)
            }
        )
    }
}

/// The two ends of a band; an end that is `nil` was not reached within the recording.
public struct Band: Codable, Equatable, Sendable {
    /// The lower end.
    public let low: Double?
    /// The upper end.
    public let high: Double?
}
