import Foundation

/// Where two JSON values differ.
enum JSONComparison {
    /// A line for each value of `expected` that `found` does not have: texts and truth exactly, numbers to 1e-9 of their size.
    ///
    /// `null` is the same as nothing; what `found` has besides is not looked at.
    static func differences(_ found: Any?, _ expected: Any, at path: String = "") -> [String] {
        switch expected {
        case is NSNull: return found == nil || found is NSNull ? [] : ["\(path): not null"]
        case let expected as [String: Any]:
            guard let found = found as? [String: Any] else { return ["\(path): no object"] }
            return expected.sorted { $0.key < $1.key }.flatMap {
                differences(found[$0.key], $0.value, at: "\(path).\($0.key)")
            }
        case let expected as [Any]:
            guard let found = found as? [Any], found.count == expected.count else {
                return ["\(path): \((found as? [Any])?.count ?? -1) entries, expected \(expected.count)"]
            }
            return expected.indices.flatMap { differences(found[$0], expected[$0], at: "\(path)[\($0)]") }
        case let expected as String:
            return found as? String == expected ? [] : ["\(path): \(found ?? "nothing"), expected \(expected)"]
        case let expected as NSNumber:
            guard let found = found as? NSNumber else { return ["\(path): no number, expected \(expected)"] }
            let (one, other) = (found.doubleValue, expected.doubleValue)
            return abs(one - other) <= 1e-9 * max(1, abs(one), abs(other)) ? [] : ["\(path): \(one), expected \(other)"]
        default: return ["\(path): not JSON"]
        }
    }

    /// How many texts, numbers and truth values stand in a value.
    static func leafCount(_ value: Any) -> Int {
        switch value {
        case let object as [String: Any]: object.values.reduce(0) { $0 + leafCount($1) }
        case let list as [Any]: list.reduce(0) { $0 + leafCount($1) }
        default: 1
        }
    }
}
