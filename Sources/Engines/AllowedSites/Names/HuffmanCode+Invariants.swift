extension HuffmanCode {
    /// Checks that the codes behind each byte are prefix-free, canonical and at most ``maximumLength`` bits long.
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(1); 64 times 64 codes.
    func brokenInvariant() -> String? {
        for context in 0..<Self.contextCount {
            // Kraft's inequality: codes of these lengths are prefix-free only if the sum of 2^-length is at most 1.
            var sum = 0
            for symbol in 0..<Self.contextCount {
                let length = length(context << 6 | symbol)
                if length > Self.maximumLength { return "the code of \(symbol) behind \(context) has \(length) bits" }
                if length > 0 { sum += 1 << (Self.maximumLength - length) }
            }
            if sum > 1 << Self.maximumLength { return "the codes behind \(context) are not prefix-free" }
            if let symbol = symbolThatDoesNotDecode(context) {
                return "the code of \(symbol) behind \(context) decodes to another byte"
            }
        }
        return nil
    }

    /// The first byte behind `context` whose code does not decode to it.
    private func symbolThatDoesNotDecode(_ context: Int) -> Int? {
        for symbol in 1..<Self.contextCount {
            let length = length(context << 6 | symbol)
            guard length > 0 else { continue }
            var rest = entry(symbol, before: context) >> 5
            var (code, first, taken) = (0, 0, 0)
            for bits in 1...length {
                code = code << 1 | Int(rest & 1)
                rest >>= 1
                let count = Int(counts[context << 4 | bits])
                if bits == length {
                    guard (0..<count).contains(code - first),
                        Int(symbols[context << 6 | (taken + code - first)]) == symbol
                    else {
                        return symbol
                    }
                }
                (first, taken) = ((first + count) << 1, taken + count)
            }
        }
        return nil
    }
}
