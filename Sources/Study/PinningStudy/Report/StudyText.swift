/// How a report writes numbers.
package enum StudyText {
    /// At most one decimal place.
    package static func number(_ value: Double) -> String {
        let tenths = (abs(value) * 10).rounded()
        let sign = value < 0 && tenths > 0 ? "-" : ""
        let whole = Int(tenths / 10)
        let rest = Int(tenths) % 10
        return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
    }

    /// Two bounds, the lower one first: `0–42`. A bound that was not reached within the recording is `nil`, and written `end`.
    package static func span(_ one: Double?, _ other: Double?, separator: String = "–", end: String = "end") -> String {
        let ends = [one ?? .infinity, other ?? .infinity].sorted().map { $0.isFinite ? number($0) : end }
        return ends[0] == ends[1] ? ends[0] : ends.joined(separator: separator)
    }

    /// `1 day`, `0.5 days`, or that the recording ended before.
    static func days(_ value: Double?) -> String {
        value.map { counted($0, "day") } ?? "the recording's end"
    }

    /// Two bounds in a sentence: `0 to 42 days`, `18 days to the recording's end`.
    static func days(_ one: Double?, _ other: Double?) -> String {
        guard let one, let other else {
            guard let known = one ?? other else { return days(nil) }
            return "\(days(known)) to \(days(nil))"
        }
        let text = span(one, other, separator: " to ")
        return text == "1" ? "1 day" : "\(text) days"
    }

    /// `1 day`, `2 days`, `0.5 days`.
    package static func counted(_ value: Double, _ unit: String) -> String {
        let text = number(value)
        return text == "1" ? "1 \(unit)" : "\(text) \(unit)s"
    }

    static func percent(_ share: Double) -> String { "\(number(share * 100)) %" }
}
