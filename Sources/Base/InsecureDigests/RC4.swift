internal import CDigestLanes
internal import Secrets

/// RC4, the stream cipher that NTLM uses to exchange keys and to seal messages.
///
/// Use one value for each direction of a connection: each call continues the keystream. It is a class, because its
/// state must be erased in `deinit` and must not be copied.
package final class RC4 {
    // The permutation, then i and j.
    private var state: [UInt8]

    /// Computes the permutation of a key.
    ///
    /// - Parameter key: 1 to 256 bytes; 16 in NTLM.
    /// - Precondition: `key` is not empty.
    package init(key: Span<UInt8>) {
        precondition(key.count >= 1 && key.count <= 256, "an RC4 key has 1 to 256 bytes")
        state = [UInt8](repeating: 0, count: Int(SALLYPORT_RC4_PERMUTATION) + 2)
        unsafe key.withUnsafeBufferPointer { key in
            guard let start = key.baseAddress else { return }
            // In bounds: the state begins with a whole permutation.
            unsafe state.withUnsafeMutableBufferPointer {
                unsafe sallyport_rc4_schedule($0.baseAddress, start, key.count)
            }
        }
    }

    deinit { erase(&state) }

    /// XORs the next `bytes.count` bytes of the keystream into `bytes`; encrypts and decrypts.
    ///
    /// - Complexity: O(*n*); no allocation.
    package func apply(to bytes: inout [UInt8]) {
        unsafe state.withUnsafeMutableBufferPointer { state in
            guard let permutation = state.baseAddress else { return }
            let positions = unsafe permutation + Int(SALLYPORT_RC4_PERMUTATION)
            // In bounds: i and j follow the permutation; the text is the whole array.
            unsafe bytes.withUnsafeMutableBufferPointer {
                unsafe sallyport_rc4_apply(permutation, positions, $0.baseAddress, $0.count)
            }
        }
    }
}

extension RC4 {
    /// Encrypts or decrypts 16 bytes with the first 16 bytes of the keystream of a key, as in NTLM's key exchange.
    ///
    /// - Complexity: no allocation; the permutation is erased.
    package static func exchange(_ text: Digest16, key: Digest16) -> Digest16 {
        var result = text
        var key = key
        // In bounds: both are 16 bytes in wire order.
        unsafe withUnsafeMutableBytes(of: &result) { result in
            unsafe withUnsafeBytes(of: &key) { key in
                unsafe sallyport_rc4_exchange(
                    result.bindMemory(to: UInt8.self).baseAddress,
                    key.bindMemory(to: UInt8.self).baseAddress,
                    1
                )
            }
        }
        key.erase()
        return result
    }

    /// The number of MD5 blocks that are compressed during one exchange.
    static let blocksBeside = Int(SALLYPORT_RC4_BESIDE)

    /// The same, and compresses ``blocksBeside`` blocks of `bytes` from `offset` on into an MD5 state at the same time.
    static func exchange(
        _ text: Digest16,
        key: Digest16,
        beside state: inout SIMD4<UInt32>,
        _ bytes: Span<UInt8>,
        from offset: Int
    ) -> Digest16 {
        precondition(offset >= 0 && bytes.count - offset >= blocksBeside * Compression.blockSize)
        var result = text
        var key = key
        unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            // In bounds: both digests are 16 bytes in wire order, a state has four words, and the blocks after the
            // offset were checked above.
            unsafe withUnsafeMutableBytes(of: &result) { result in
                unsafe withUnsafeBytes(of: &key) { key in
                    unsafe withUnsafeMutableBytes(of: &state) { state in
                        unsafe sallyport_rc4_exchange_beside(
                            result.bindMemory(to: UInt8.self).baseAddress,
                            key.bindMemory(to: UInt8.self).baseAddress,
                            state.bindMemory(to: UInt32.self).baseAddress,
                            start + offset
                        )
                    }
                }
            }
        }
        key.erase()
        return result
    }

    /// Exchanges each text under the key with the same index, two at a time.
    ///
    /// - Precondition: `keys.count == texts.count`.
    package static func exchange(each texts: inout [Digest16], keys: [Digest16]) {
        precondition(texts.count == keys.count, "as many keys as texts")
        unsafe texts.withUnsafeMutableBytes { texts in
            unsafe keys.withUnsafeBytes { keys in
                // In bounds: both have 16 bytes for each text.
                unsafe sallyport_rc4_exchange(
                    texts.bindMemory(to: UInt8.self).baseAddress,
                    keys.bindMemory(to: UInt8.self).baseAddress,
                    keys.count / Digest16.count
                )
            }
        }
    }
}

extension RC4: CustomStringConvertible, CustomReflectable {
    /// A fixed text, without the contents.
    package var description: String { "<RC4>" }

    /// Has no children, because the permutation determines the keystream.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
