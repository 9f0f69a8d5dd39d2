internal import CDigestLanes
internal import Secrets

/// RC4, the stream cipher under which NTLM exchanges and seals.
///
/// One value is one direction of one connection: every call goes on in the keystream where the last one stopped. A
/// class, because its state must be erased when it goes, and must never be copied.
package final class RC4 {
    // The permutation, then i and j.
    private var state: [UInt8]

    /// Sets the permutation up.
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

    /// XORs the next `bytes.count` bytes of the keystream into `bytes`: encryption and decryption alike.
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
    /// Encrypts or decrypts 16 bytes with the start of the keystream of a key of 16 bytes, as NTLM exchanges keys.
    ///
    /// - Complexity: no allocation; the permutation is erased.
    package static func exchange(_ text: Digest16, key: Digest16) -> Digest16 {
        var result = text
        var key = key
        // In bounds: both are 16 bytes, in the order in which they go over the wire.
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

    /// Blocks of MD5 that fit beside one exchange.
    static let blocksBeside = Int(SALLYPORT_RC4_BESIDE)

    /// Does the same, and compresses ``blocksBeside`` blocks of `bytes`, the first of which starts at `offset`, into a
    /// state of MD5 meanwhile.
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
            // In bounds: both digests are 16 bytes, in the order in which they go over the wire; a state is four words;
            // so many blocks stand after the offset, checked above.
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

    /// Does the same for each text and the key of the same number, two at a time.
    ///
    /// - Precondition: there are as many keys as texts.
    package static func exchange(each texts: inout [Digest16], keys: [Digest16]) {
        precondition(texts.count == keys.count, "as many keys as texts")
        unsafe texts.withUnsafeMutableBytes { texts in
            unsafe keys.withUnsafeBytes { keys in
                // In bounds: both are as many times 16 bytes.
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
    /// Says that something is there, and nothing more.
    package var description: String { "<RC4>" }

    /// No children: the permutation is the keystream to come.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
