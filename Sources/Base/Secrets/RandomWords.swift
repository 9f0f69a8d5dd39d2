#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Three words from the system's random generator in one call, because three calls take three times as long.
///
/// - Complexity: one call of the system; no allocation.
package func randomWords() -> (UInt64, UInt64, UInt64) {
    var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
    let outcome = unsafe withUnsafeMutableBytes(of: &words) { bytes in
        // In bounds: the address and the size are those of the three words.
        unsafe getentropy(bytes.baseAddress, bytes.count)
    }
    // Fails only if the kernel has no generator. Stopping is safer than a predictable nonce.
    precondition(outcome == 0, "the system has no random numbers")
    return words
}
