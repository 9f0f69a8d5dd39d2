internal import ClientCertificates
internal import Credentials
internal import SPKIPins
internal import Secrets
internal import WireFormat

/// A key and its certificate, as they were found.
struct FoundKey: Sendable {
    let reference: KeyReference
    let publicKey: PublicKey
    let publicKeyInfo: [UInt8]
    let algorithms: [SigningAlgorithm]
    let chain: IdentityChain

    /// How errors name the key.
    var object: String { reference.object }
}

/// What of a card fits a URI.
struct FoundKeys: Sendable {
    var keys: [FoundKey] = []
    var unusable: [(object: String, problem: SmartCardError.Problem)] = []
}

extension CardDialogue {
    private struct CardCertificate {
        let bytes: [UInt8]
        let id: [UInt8]
        let label: [UInt8]
        let publicKeyInfo: [UInt8]
    }

    /// The keys that fit the URI, each with the certificate that it proves with a signature.
    func keys(_ uri: PKCS11URI) throws(SmartCardError.Problem) -> FoundKeys {
        try withSession { session, mechanisms, handles throws(SmartCardError.Problem) in
            let certificates = try Self.certificates(session)
            var found = FoundKeys()
            var idsOfKeys: Set<[UInt8]> = []
            for key in try session.objects(.privateKey) {
                let reference = try Self.reference(key, session)
                idsOfKeys.insert(reference.id)
                // The label that a URI names may be that of the certificate.
                let own = certificates.filter { !$0.id.isEmpty && $0.id == reference.id }
                guard Self.fits(uri, reference.id, [reference.label] + own.map(\.label)) else { continue }
                do throws(SmartCardError.Problem) {
                    let proven = try prove(reference, key, own, certificates, session, mechanisms)
                    handles[reference] = key
                    found.keys.append(proven)
                } catch {
                    if case .failed(_, let value) = error, value.isLostSession { throw error }
                    // Another key would need the same PIN.
                    if case .wrongPIN = error { throw error }
                    found.unusable.append((reference.object, error))
                }
            }
            // Certificates of authorities have no key; one that the URI names should have.
            for certificate in certificates
            where uri.id != nil || uri.object != nil {
                let isFit = Self.fits(uri, certificate.id, [certificate.label])
                if isFit, certificate.id.isEmpty || !idsOfKeys.contains(certificate.id) {
                    let object = KeyReference(id: certificate.id, label: certificate.label, type: 0, asksAlways: false)
                        .object
                    found.unusable.append((object, .certificateWithoutKey))
                }
            }
            return found
        }
    }

    /// Signs with a key that was found. The signature is checked before it goes out, so that a damaged or exchanged card is an
    /// error here and not at the server.
    func sign(
        _ message: [UInt8],
        _ reference: KeyReference,
        _ publicKey: PublicKey,
        _ algorithm: SigningAlgorithm
    ) throws(SmartCardError.Problem) -> [UInt8] {
        guard message.count <= SmartCardLimits.messageBytes else { throw .messageTooLong }
        return try withSession { session, mechanisms, handles throws(SmartCardError.Problem) in
            guard let mechanism = CardMechanism(for: algorithm, among: mechanisms) else {
                throw .unsupportedAlgorithm(algorithm)
            }
            let key: UInt
            if let known = handles[reference] {
                key = known
            } else {
                key = try Self.find(reference, session)
                handles[reference] = key
            }
            let raw = try sign(mechanism.prepare(message, algorithm), reference, key, mechanism, session)
            guard let signature = publicKey.checked(raw, of: message, algorithm) else { throw .wrongSignature }
            return signature
        }
    }

    // MARK: - Private

    private func sign(
        _ bytes: [UInt8],
        _ reference: KeyReference,
        _ key: UInt,
        _ mechanism: CardMechanism,
        _ session: CardSession
    ) throws(SmartCardError.Problem) -> [UInt8] {
        try session.sign(bytes, key, mechanism) { () throws(SmartCardError.Problem) in
            if reference.asksAlways { try confirm(session) }
        }
    }

    private static func certificates(_ session: CardSession) throws(SmartCardError.Problem) -> [CardCertificate] {
        var certificates: [CardCertificate] = []
        for object in try session.objects(.certificate) {
            // CKC_X_509; a certificate that cannot be read is of no key.
            guard try session.number(.certificateType, of: object) ?? 0 == 0,
                let bytes = try session.attribute(.value, of: object, limit: SmartCardLimits.certificateBytes),
                let walk = try? CertificateWalk(of: bytes.span)
            else { continue }
            certificates.append(
                CardCertificate(
                    bytes: bytes,
                    id: try session.attribute(.id, of: object, limit: SmartCardLimits.nameBytes) ?? [],
                    label: try session.attribute(.label, of: object, limit: SmartCardLimits.nameBytes) ?? [],
                    publicKeyInfo: Array(bytes[walk.subjectPublicKeyInfo.range])
                )
            )
        }
        return certificates
    }

    private static func reference(_ key: UInt, _ session: CardSession) throws(SmartCardError.Problem) -> KeyReference {
        KeyReference(
            id: try session.attribute(.id, of: key, limit: SmartCardLimits.nameBytes) ?? [],
            label: try session.attribute(.label, of: key, limit: SmartCardLimits.nameBytes) ?? [],
            type: try session.number(.keyType, of: key) ?? .max,
            asksAlways: try session.flag(.alwaysAuthenticate, of: key) ?? false
        )
    }

    private static func find(_ reference: KeyReference, _ session: CardSession) throws(SmartCardError.Problem) -> UInt {
        for key in try session.objects(.privateKey) where try Self.reference(key, session) == reference { return key }
        throw .noIdentity
    }

    private static func fits(_ uri: PKCS11URI, _ id: [UInt8], _ labels: [[UInt8]]) -> Bool {
        if let wanted = uri.id, wanted != id { return false }
        if let wanted = uri.object, !labels.contains(Array(wanted.utf8)) { return false }
        return true
    }

    /// Finds the certificate of which a key is the private key.
    private func prove(
        _ reference: KeyReference,
        _ key: UInt,
        _ own: [CardCertificate],
        _ all: [CardCertificate],
        _ session: CardSession,
        _ mechanisms: Set<UInt>
    ) throws(SmartCardError.Problem) -> FoundKey {
        guard !own.isEmpty else { throw .keyWithoutCertificate }
        guard try session.flag(.sign, of: key) ?? true else { throw .keyNotForSigning }
        let publicKeys = Set(own.map(\.publicKeyInfo)).compactMap { info in PublicKey(info).map { (info, $0) } }
            .filter { $0.1.keyType == reference.type }
        guard !publicKeys.isEmpty else { throw .unsupportedKey }
        // TLS never signs a message that begins like this one, so that the signature is of no use elsewhere.
        let random = randomWords()
        let message = Array("sallyport: this key is that of its certificate: \(random)".utf8)
        for (info, publicKey) in publicKeys {
            let algorithms = publicKey.algorithms.filter { CardMechanism(for: $0, among: mechanisms) != nil }
            guard let first = algorithms.first, let mechanism = CardMechanism(for: first, among: mechanisms) else {
                throw .unsupportedKey
            }
            let raw = try sign(mechanism.prepare(message, first), reference, key, mechanism, session)
            guard publicKey.checked(raw, of: message, first) != nil else { continue }
            let chain: IdentityChain
            do throws(IdentityError.Problem) {
                chain = try IdentityChain(of: info, in: all.map(\.bytes), limit: SmartCardLimits.objects)
            } catch {
                throw .chain("\(error)")
            }
            return FoundKey(
                reference: reference,
                publicKey: publicKey,
                publicKeyInfo: info,
                algorithms: algorithms,
                chain: chain
            )
        }
        throw .keyWithoutCertificate
    }
}

extension KeyReference {
    /// How errors name the key: its label, or the identifier in hexadecimal.
    var object: String {
        if !label.isEmpty, let text = String(validating: label, as: UTF8.self) {
            // The label must neither break a line nor steer a terminal.
            return text.unicodeScalars.prefix(VisibleText.shownCharacters).map { $0.escaped(asASCII: false) }.joined()
        }
        let shown = Array(id.prefix(16))
        return "id \(Hexadecimal.encode(shown.span))"
    }
}
