internal import BenchmarkSupport
internal import InsecureDigests
internal import NTLM
internal import PeerComparison
internal import WireFormat

/// The same operations by OpenSSL: as quick as its oldest functions allow, and as its manual advises.
@safe
struct OpenSSLImplementations {
    private let library: OpenSSL
    private let memory: Memory

    init(_ library: OpenSSL) {
        self.library = library
        memory = Memory(library)
        check()
    }

    var all: [MeasuredImplementation] { [md4, evpMD4, proof, evpProof, rc4] }

    /// Inputs, contexts and results at fixed places, so that nothing but OpenSSL's own work is measured.
    @safe
    private final class Memory {
        let password: UnsafeMutableRawBufferPointer
        let key: UnsafeMutableRawBufferPointer
        let blob: UnsafeMutableRawBufferPointer
        let inner: UnsafeMutableRawPointer
        let outer: UnsafeMutableRawPointer
        let context: UnsafeMutableRawPointer
        let digest: UnsafeMutableRawPointer
        let rc4Key: UnsafeMutableRawPointer

        init(_ library: OpenSSL) {
            let text = NTLMFixture.password.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
            unsafe password = Self.copy(text)
            let keyBytes = [UInt8](repeating: 1, count: Digest16.count)
            unsafe key = Self.copy(keyBytes)
            unsafe blob = Self.copy([UInt8](repeating: 5, count: 200))
            unsafe context = .allocate(byteCount: OpenSSL.md5ContextSize, alignment: 64)
            unsafe digest = .allocate(byteCount: Digest16.count, alignment: 64)
            unsafe rc4Key = .allocate(byteCount: OpenSSL.rc4KeySize, alignment: 64)
            unsafe inner = Self.midstate(keyBytes, pad: 0x36, library)
            unsafe outer = Self.midstate(keyBytes, pad: 0x5c, library)
        }

        deinit {
            unsafe password.deallocate()
            unsafe key.deallocate()
            unsafe blob.deallocate()
            unsafe inner.deallocate()
            unsafe outer.deallocate()
            unsafe context.deallocate()
            unsafe digest.deallocate()
            unsafe rc4Key.deallocate()
        }

        var digestValue: Digest16 {
            // Sixteen bytes, which every operation fills.
            unsafe Digest16(
                low: digest.loadUnaligned(as: UInt64.self).littleEndian,
                high: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self).littleEndian
            )
        }

        private static func copy(_ bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 64)
            unsafe memory.copyBytes(from: bytes)
            return unsafe memory
        }

        private static func midstate(_ key: [UInt8], pad: UInt8, _ library: OpenSSL) -> UnsafeMutableRawPointer {
            let context = UnsafeMutableRawPointer.allocate(byteCount: OpenSSL.md5ContextSize, alignment: 64)
            let block = (0..<64).map { ($0 < key.count ? key[$0] : 0) ^ pad }
            _ = unsafe library.md5Init(context)
            _ = unsafe library.md5Update(context, block, block.count)
            return unsafe context
        }
    }

    /// Both sides must come to the same results, or the comparison is one of different things.
    private func check() {
        let hash = try? NTHash.withHash(of: NTLMFixture.password) { Digest16(copying: $0) }
        for implementation in [md4, evpMD4] {
            _ = implementation.mean(of: 1) { 0 }
            precondition(memory.digestValue.bytes == hash?.bytes, "\(implementation.who): another NT hash")
        }
        let key = HMACMD5.Key([UInt8](repeating: 1, count: Digest16.count).span)
        let blob = [UInt8](repeating: 5, count: 200)
        let proved = HMACMD5.authenticate(blob.span, key: key)
        let session = proved.withBytes { HMACMD5.authenticate($0, key: key) }
        for implementation in [proof, evpProof] {
            _ = implementation.mean(of: 1) { 0 }
            precondition(memory.digestValue.bytes == session.bytes, "\(implementation.who): another session key")
        }
    }

    private var md4: MeasuredImplementation {
        let (library, memory) = (library, memory)
        return MeasuredImplementation(Operation.openSSL, Operation.hash) { count in
            for _ in 0..<count {
                _ = unsafe library.md4(memory.password.baseAddress, memory.password.count, memory.digest)
            }
            return Int(truncatingIfNeeded: memory.digestValue.low)
        }
    }

    private var evpMD4: MeasuredImplementation {
        let (library, memory) = (library, memory)
        let algorithm = unsafe library.evpMD4()
        return MeasuredImplementation(Operation.openSSLEVP, Operation.hash) { count in
            for _ in 0..<count {
                let done = unsafe library.evpDigest(
                    memory.password.baseAddress,
                    memory.password.count,
                    memory.digest,
                    nil,
                    algorithm,
                    nil
                )
                precondition(done == 1, "OpenSSL has no MD4: its legacy provider is not installed")
            }
            return Int(truncatingIfNeeded: memory.digestValue.low)
        }
    }

    private var proof: MeasuredImplementation {
        let (library, memory) = (library, memory)
        return MeasuredImplementation(Operation.openSSL, Operation.proof) { count in
            func authenticate(_ bytes: UnsafeRawPointer?, _ byteCount: Int) {
                // A context is copied as a structure assignment would: the sizes are its own.
                unsafe memory.context.copyMemory(from: memory.inner, byteCount: OpenSSL.md5ContextSize)
                _ = unsafe library.md5Update(memory.context, bytes, byteCount)
                _ = unsafe library.md5Final(memory.digest, memory.context)
                unsafe memory.context.copyMemory(from: memory.outer, byteCount: OpenSSL.md5ContextSize)
                _ = unsafe library.md5Update(memory.context, memory.digest, Digest16.count)
                _ = unsafe library.md5Final(memory.digest, memory.context)
            }
            for _ in 0..<count {
                unsafe authenticate(memory.blob.baseAddress, memory.blob.count)
                unsafe authenticate(memory.digest, Digest16.count)
            }
            return Int(truncatingIfNeeded: memory.digestValue.low)
        }
    }

    private var evpProof: MeasuredImplementation {
        let (library, memory) = (library, memory)
        let algorithm = unsafe library.evpMD5()
        return MeasuredImplementation(Operation.openSSLEVP, Operation.proof) { count in
            func authenticate(_ bytes: UnsafeRawPointer?, _ byteCount: Int) {
                _ = unsafe library.hmac(
                    algorithm,
                    memory.key.baseAddress,
                    Int32(Digest16.count),
                    bytes,
                    byteCount,
                    memory.digest,
                    nil
                )
            }
            for _ in 0..<count {
                unsafe authenticate(memory.blob.baseAddress, memory.blob.count)
                unsafe authenticate(memory.digest, Digest16.count)
            }
            return Int(truncatingIfNeeded: memory.digestValue.low)
        }
    }

    private var rc4: MeasuredImplementation {
        let (library, memory) = (library, memory)
        return MeasuredImplementation(Operation.openSSL, Operation.rc4) { count in
            // Each result is the next key, so that one waits for the other, as on our side.
            for _ in 0..<count {
                unsafe library.rc4SetKey(memory.rc4Key, Int32(Digest16.count), memory.digest)
                unsafe library.rc4(memory.rc4Key, Digest16.count, memory.blob.baseAddress, memory.digest)
            }
            return Int(truncatingIfNeeded: memory.digestValue.low)
        }
    }
}
