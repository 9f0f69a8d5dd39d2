internal import SecureDigests

extension Pin {
    /// The pin of a key given as the DER of its SubjectPublicKeyInfo, header included.
    ///
    /// The bytes are hashed as they are and not looked at; `init(ofCertificate:)` finds them in a certificate.
    ///
    /// - Complexity: one SHA-256; no allocation.
    public init(hashing subjectPublicKeyInfo: Span<UInt8>) {
        self.init(Digest32(sha256Of: subjectPublicKeyInfo))
    }

    /// The pins of many certificates that stand one behind the other in `bytes`, or why one has none.
    ///
    /// Their keys are hashed side by side, which takes about two thirds of the time that one after the other would.
    ///
    /// - Parameters:
    ///   - certificates: where each certificate stands, in offsets into `bytes`; one in DER each and nothing else.
    ///   - bytes: what the certificates stand in; nothing is copied.
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
            // As many as stay in the first cache between the walk and the hash.
            let end = min(start + 64, certificates.count)
            keys.removeAll(keepingCapacity: true)
            for certificate in certificates[start..<end] {
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
            start = end
        }
        return pins
    }

    init(_ digest: Digest32) {
        self.init(digest.words.x, digest.words.y, digest.words.z, digest.words.w)
    }
}
