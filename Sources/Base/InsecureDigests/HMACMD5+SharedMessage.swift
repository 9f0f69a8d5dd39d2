internal import CDigestLanes

extension HMACMD5 {
    /// One message that is authenticated under many keys: its padded blocks, prepared for all lanes.
    package struct SharedMessage: Sendable {
        /// One word for each step of MD5, block after block: the sum of the message word and the constant.
        let sums: [UInt32]
        let blocks: Int

        /// The number of sums of one block.
        static let sumsOfBlock = Int(SALLYPORT_MD5_STEPS)

        /// Pads `message`, which follows one block of key.
        ///
        /// - Complexity: O(*n*); 256 bytes for each block of the message.
        package init(_ message: Span<UInt8>) {
            let whole = message.count / Compression.blockSize
            var end = MessageEnd(of: message, from: whole * Compression.blockSize)
            end.close(byteCount: Compression.blockSize + message.count)
            blocks = whole + end.blocks
            var sums = [UInt32](repeating: 0, count: blocks * Self.sumsOfBlock)
            for block in 0..<whole {
                unsafe message.extracting((block * Compression.blockSize)...).withUnsafeBufferPointer { bytes in
                    // In bounds: a whole block of the message is left.
                    unsafe Self.add(bytes.baseAddress, to: &sums, at: block)
                }
            }
            unsafe withUnsafeBytes(of: &end.words) { bytes in
                for block in 0..<end.blocks {
                    let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
                    // In bounds: `end` has two blocks, of which `end.blocks` are filled.
                    unsafe Self.add(
                        start.map { unsafe $0 + block * Compression.blockSize },
                        to: &sums,
                        at: whole + block
                    )
                }
            }
            self.sums = sums
            eraseDigestState(&end.words)
        }

        private static func add(_ bytes: UnsafePointer<UInt8>?, to sums: inout [UInt32], at block: Int) {
            precondition(sums.count - block * sumsOfBlock >= sumsOfBlock)
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                guard let start = sums.baseAddress else { return }
                // In bounds: each step has a word, checked above.
                unsafe sallyport_md5_add_constants(start + block * sumsOfBlock, bytes)
            }
        }
    }
}
