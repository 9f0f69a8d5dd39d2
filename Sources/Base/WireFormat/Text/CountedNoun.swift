extension BinaryInteger {
    /// The number with its noun: `1 capture`, `2 captures`, `0 entries`.
    ///
    /// - Parameters:
    ///   - noun: the noun for one.
    ///   - plural: the noun for every other number; without it the noun with an `s`.
    package func counted(_ noun: String, _ plural: String? = nil) -> String {
        "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
    }
}
