internal import RealModule

/// Maps values to positions in a chart.
package struct Scale {
    package enum Kind {
        case linear
        case squareRoot
        case logarithmic
    }

    package let kind: Kind
    package let values: ClosedRange<Double>
    package let from: Double
    package let to: Double

    package init(kind: Kind, values: ClosedRange<Double>, from: Double, to: Double) {
        self.kind = kind
        self.values = values
        self.from = from
        self.to = to
    }

    /// The position of `value`; a value outside the range is moved to the nearest end.
    package func callAsFunction(_ value: Double) -> Double {
        let (low, high) = (bent(values.lowerBound), bent(values.upperBound))
        guard high > low else { return from }
        let share = (bent(min(max(value, values.lowerBound), values.upperBound)) - low) / (high - low)
        return from + share * (to - from)
    }

    /// The values whose places are at least `gap` from that of the one before, so that their labels do not overlap.
    package func spaced(_ values: some Sequence<Double>, gap: Double) -> [Double] {
        var kept: [Double] = []
        for value in values {
            if let last = kept.last, abs(self(value) - self(last)) < gap { continue }
            kept.append(value)
        }
        return kept
    }

    private func bent(_ value: Double) -> Double {
        switch kind {
        case .linear: value
        case .squareRoot: .sqrt(max(0, value))
        case .logarithmic: .log10(max(value, 1e-9))
        }
    }
}
