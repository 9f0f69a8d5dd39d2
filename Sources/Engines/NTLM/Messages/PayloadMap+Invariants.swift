extension PayloadMap {
    /// Checks that each field lies in the payload and that no two fields share a byte; empty fields have no place.
    ///
    /// - Parameters:
    ///   - fields: the ranges of all fields of a message.
    ///   - start: the end of the fixed part, where the payload begins at the earliest.
    ///   - end: the size of the message.
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(1); a message has at most six fields.
    static func brokenInvariant(
        of fields: [(field: MessageField, range: Range<Int>)],
        from start: Int,
        to end: Int
    ) -> String? {
        let fields = fields.filter { !$0.range.isEmpty }.sorted { $0.range.lowerBound < $1.range.lowerBound }
        for (field, range) in fields where range.lowerBound < start || range.upperBound > end {
            return "\(field.rawValue) at \(range) lies outside the payload \(start)..<\(end)"
        }
        for (one, next) in zip(fields, fields.dropFirst()) where one.range.upperBound > next.range.lowerBound {
            return "\(one.field.rawValue) and \(next.field.rawValue) overlap at \(next.range.lowerBound)"
        }
        return nil
    }
}
