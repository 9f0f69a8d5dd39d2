internal import Secrets

extension Pin {
    /// The pin of a key given as the DER of its SubjectPublicKeyInfo, header included.
    ///
    /// The bytes are hashed without a check; `init(ofCertificate:)` finds them in a certificate.
    ///
    /// - Complexity: one SHA-256; no allocation.
    public init(hashing subjectPublicKeyInfo: Span<UInt8>) {
        self.init(Digest32(sha256Of: subjectPublicKeyInfo))
    }

    /// The pins of many certificates inside `bytes`, or why one has none.
    ///
    /// Several keys are hashed at once, which takes about two thirds of the time of hashing one after the other.
    ///
    /// - Parameters:
    ///   - certificates: the offsets of each certificate in `bytes`; exactly one certificate in DER each.
    ///   - bytes: the bytes around the certificates; they are not copied.
    /// - Precondition: each range lies inside `bytes`.
    /// - Complexity: O(*n*) in the bytes of the keys; a few allocations for all of them.
    public static func ofCertificates(
        at certificates: [Range<Int>],
        in bytes: Span<UInt8>
    ) -> [Result<Pin, CertificateError>] {
        var pins: [Result<Pin, CertificateError>] = []
        pins.reserveCapacity(certificates.count)
        var keys: [Range<Int>] = []
        var start = 0
        while start < certificates.count {
            // So many certificates stay in the first-level cache between walk and hash.
            let end = min(start + 64, certificates.count)
            keys.removeAll(keepingCapacity: true)
            for certificate in certificates[start..<end] {
                assert(certificate.lowerBound >= 0 && certificate.upperBound <= bytes.count)
                do throws(CertificateError) {
                    let walk = try CertificateWalk(of: bytes.extracting(certificate))
                    let key = walk.subjectPublicKeyInfo.range
                    keys.append(certificate.lowerBound &+ key.lowerBound..<certificate.lowerBound &+ key.upperBound)
                    pins.append(.success(.zero))
                } catch {
                    pins.append(.failure(error))
                }
            }
            var next = 0
            let digests = Digest32.sha256(of: keys, in: bytes)
            for index in start..<end {
                guard case .success = pins[index] else { continue }
                pins[index] = .success(Pin(digests[next]))
                next += 1
            }
            assert(next == keys.count, "each key has a digest")
            start = end
        }
        return pins
    }

    init(_ digest: Digest32) {
        self.init(digest.words.x, digest.words.y, digest.words.z, digest.words.w)
    }
}
