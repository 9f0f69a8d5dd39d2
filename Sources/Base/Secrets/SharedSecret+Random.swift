extension SharedSecret {
    /// 32 random bytes, such as the key of a keyed digest.
    package static func random() -> SharedSecret {
        var bytes: [UInt8] = []
        for _ in 0..<2 {
            let (first, second, _) = randomWords()
            for word in [first, second] {
                for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * shift))) }
            }
        }
        return SharedSecret(SecretBytes(consuming: &bytes))
    }
}
