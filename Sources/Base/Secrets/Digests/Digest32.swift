internal import CDigestLanes

/// A SHA-256 digest (FIPS 180-4): 32 bytes as four words of eight bytes, least significant byte first.
///
/// Messages are public, so nothing is erased; ``SecretDigest`` is for secrets.
package struct Digest32: Hashable, Sendable {
    /// The words, in the order of the bytes.
    package let words: SIMD4<UInt64>

    /// The digest of `message`, computed by the fastest kernel for a single message.
    ///
    /// - Complexity: O(*n*); no allocation.
    package init(sha256Of message: Span<UInt8>) {
        self.init(message, sallyport_sha256_best_for_one())
    }

    /// The digest of `message`, computed by `kernel`; for tests and measurements.
    ///
    /// - Precondition: `kernel.runsHere`.
    package init(sha256Of message: Span<UInt8>, kernel: SHA256Kernel) {
        precondition(kernel.runsHere, "this machine lacks the instructions of the kernel")
        self.init(message, kernel.code)
    }

    @inline(__always)
    private init(_ message: Span<UInt8>, _ kernel: sallyport_sha256_kernel) {
        var words = SIMD4<UInt64>()
        unsafe message.withUnsafeBufferPointer { bytes in
            unsafe withUnsafeMutableBytes(of: &words) { digest in
                // In bounds: the vector has 32 bytes, and the count is that of the message.
                guard let digest = unsafe digest.bindMemory(to: UInt8.self).baseAddress else { return }
                unsafe sallyport_sha256(kernel, bytes.baseAddress, bytes.count, digest)
            }
        }
        self.init(bytesInMemory: words)
    }

    private init(bytesInMemory words: SIMD4<UInt64>) {
        self.words = SIMD4(
            UInt64(littleEndian: words.x),
            UInt64(littleEndian: words.y),
            UInt64(littleEndian: words.z),
            UInt64(littleEndian: words.w)
        )
    }

    /// The 32 bytes, as FIPS 180-4 writes them.
    package var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64($0 % 8 * 8)) }
    }

    /// The digests of many messages in `bytes`, in the order of `messages`.
    ///
    /// Messages of different lengths do not wait for each other.
    ///
    /// - Parameters:
    ///   - messages: ranges of offsets into `bytes`; they may overlap.
    ///   - kernel: the instructions to use; `kernel.runsHere` must be true.
    /// - Precondition: each range lies inside `bytes`.
    /// - Complexity: O(*n*) in the bytes of the messages; two allocations besides the result.
    package static func sha256(
        of messages: [Range<Int>],
        in bytes: Span<UInt8>,
        kernel: SHA256Kernel = .bestForMany
    ) -> [Digest32] {
        precondition(kernel.runsHere, "this machine lacks the instructions of the kernel")
        var places: [sallyport_message] = []
        places.reserveCapacity(messages.count)
        for message in messages {
            precondition(message.lowerBound >= 0 && message.upperBound <= bytes.count, "a message outside the bytes")
            places.append(sallyport_message(start: message.lowerBound, end: message.upperBound))
        }
        var digests = unsafe [Digest32](unsafeUninitializedCapacity: places.count) { words, count in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                let raw = UnsafeMutableRawBufferPointer(words)
                // In bounds: each message was checked above and has a digest of 32 bytes.
                if let start = bytes.baseAddress, let digests = unsafe raw.bindMemory(to: UInt8.self).baseAddress {
                    unsafe sallyport_sha256_many(kernel.code, start, places, places.count, digests)
                } else {
                    // All messages are empty, or `messages` is.
                    let empty = [UInt8]()
                    let digest = Digest32(sha256Of: empty.span)
                    unsafe words.initialize(repeating: digest)
                }
            }
            count = places.count
        }
        for index in digests.indices { digests[index] = Digest32(bytesInMemory: digests[index].words) }
        return digests
    }
}
