internal import Secrets

/// RC4, the stream cipher under which NTLM exchanges and seals.
///
/// One value is one direction of one connection: every call goes on in the keystream where the last one stopped. A
/// class, because its state must be erased when it goes, and must never be copied.
package final class RC4 {
    private var permutation: [UInt8]
    private var i: UInt8 = 0
    private var j: UInt8 = 0

    /// Sets the permutation up.
    ///
    /// - Parameter key: 1 to 256 bytes; 16 in NTLM.
    /// - Precondition: `key` is not empty.
    package init(key: Span<UInt8>) {
        precondition(key.count >= 1 && key.count <= 256, "an RC4 key has 1 to 256 bytes")
        // In a local: every access to a field of a class is checked for exclusivity, which costs more than the work.
        var permutation = [UInt8](0...255)
        var j: UInt8 = 0
        for i in 0..<256 {
            j = j &+ permutation[i] &+ key[i % key.count]
            permutation.swapAt(i, Int(j))
        }
        self.permutation = permutation
    }

    deinit { erase(&permutation) }

    /// XORs the next `bytes.count` bytes of the keystream into `bytes`: encryption and decryption alike.
    ///
    /// - Complexity: O(*n*); no allocation.
    package func apply(to bytes: inout [UInt8]) {
        // Taken out and put back rather than copied, so that no second permutation is left to erase.
        var permutation: [UInt8] = []
        swap(&permutation, &self.permutation)
        defer { swap(&permutation, &self.permutation) }
        var (i, j) = (self.i, self.j)
        for index in bytes.indices {
            i &+= 1
            j &+= permutation[Int(i)]
            permutation.swapAt(Int(i), Int(j))
            bytes[index] ^= permutation[Int(permutation[Int(i)] &+ permutation[Int(j)])]
        }
        (self.i, self.j) = (i, j)
    }
}

extension RC4: CustomStringConvertible, CustomReflectable {
    /// Says that something is there, and nothing more.
    package var description: String { "<RC4>" }

    /// No children: the permutation is the keystream to come.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
