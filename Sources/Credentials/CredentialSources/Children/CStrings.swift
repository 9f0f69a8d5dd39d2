internal import Secrets

/// Texts that end with a zero, and a list of them that ends with nil, as `posix_spawn` takes them.
///
/// They are erased at the end, because the environment of this process may hold a secret.
@safe
struct CStrings: ~Copyable {
    private let texts: [UnsafeMutableRawBufferPointer]

    /// - Precondition: no text holds a zero.
    init(_ texts: [[UInt8]]) {
        unsafe self.texts = texts.map { text in
            precondition(!text.contains(0), "a text for a program holds a zero")
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count + 1, alignment: 1)
            // In bounds: the block has a byte more than the text.
            unsafe block.copyBytes(from: text)
            unsafe block[text.count] = 0
            return unsafe block
        }
    }

    /// Calls `body` with the list, which it must not keep.
    borrowing func withPointers<Result>(
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let pointers =
            unsafe texts.map { unsafe $0.baseAddress?.assumingMemoryBound(to: CChar.self) } + [nil]
        // Not nil: the list has at least its end.
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress.unsafelyUnwrapped) }
    }

    deinit {
        unsafe texts.forEach {
            unsafe overwrite($0)
            unsafe $0.deallocate()
        }
    }
}
