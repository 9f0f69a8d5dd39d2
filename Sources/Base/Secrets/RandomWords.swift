#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Three words from the system's generator, drawn at once: asking three times takes three times as long.
///
/// - Complexity: one call of the system; no allocation.
package func randomWords() -> (UInt64, UInt64, UInt64) {
    var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
    let outcome = unsafe withUnsafeMutableBytes(of: &words) { bytes in
        // In bounds: the address and the size are those of the three words.
        unsafe getentropy(bytes.baseAddress, bytes.count)
    }
    // Fails only where the kernel has no generator at all; a nonce that anybody can guess is worse than a stop.
    precondition(outcome == 0, "the system has no random numbers")
    return words
}
