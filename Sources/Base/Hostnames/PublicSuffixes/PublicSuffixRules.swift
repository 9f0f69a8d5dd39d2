internal import CPublicSuffixes

/// The rules of the public suffix list, which the program holds as a C array.
enum PublicSuffixRules {
    /// A copy of the rules, one a line, names as A-labels.
    static func bytes() -> [UInt8] {
        let count = sallyport_public_suffix_rules_length()
        // In bounds: the array has `count` bytes and lives as long as the program.
        return unsafe [UInt8](UnsafeBufferPointer(start: sallyport_public_suffix_rules(), count: count))
    }
}
