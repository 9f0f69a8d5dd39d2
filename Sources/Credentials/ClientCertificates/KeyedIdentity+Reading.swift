internal import Credentials
internal import SPKIPins
public import Secrets
internal import WireFormat

/// Where an identity lies.
public enum IdentityFiles: Hashable, Sendable {
    /// A PKCS#12 file (`.p12`, `.pfx`), or one of PEM with certificates and the key.
    case one(String)
    /// The certificates in one file, the key in another one; each in PEM or DER.
    case pair(certificates: String, key: String)

    /// All files.
    public var paths: [String] {
        switch self {
        case .one(let path): [path]
        case .pair(let certificates, let key): [certificates, key]
        }
    }

    /// The file with the key.
    public var keyFile: String {
        switch self {
        case .one(let path): path
        case .pair(_, let key): key
        }
    }
}

extension KeyedIdentity {
    /// Reads an identity.
    ///
    /// The file with the key must belong to this user, and only they may use it.
    ///
    /// - Parameters:
    ///   - name: the name of the identity in the profile.
    ///   - files: where it lies.
    ///   - passphrase: `nil` for none.
    ///   - choice: the name of the key, if a file has several; the error without it lists their names.
    /// - Throws: ``IdentityError``.
    /// - Complexity: waits for the file system, and derives keys with up to ``IdentityLimits/iterations`` rounds: not for
    ///   an event loop, nor for Swift's own threads.
    public init(
        name: String,
        reading files: IdentityFiles,
        passphrase: SharedSecret? = nil,
        choosing choice: String? = nil
    ) throws(IdentityError) {
        switch files {
        case .one(let path):
            self = try Self.placing(path) { () throws(IdentityError.Problem) in
                var bytes = try Self.readPrivately(path)
                defer { erase(&bytes) }
                return try KeyedIdentity(name: name, parsing: bytes.span, passphrase: passphrase, choosing: choice)
            }
        case .pair(let certificates, let key):
            let found = try Self.placing(certificates) { () throws(IdentityError.Problem) in
                // In two steps: the compiler (6.3.1) crashes on a span of a call that throws.
                let bytes = try Self.readOpenly(certificates)
                let found = try Self.certificates(in: bytes.span)
                // Here, so that the error names this file and not that of the key.
                guard !found.isEmpty else { throw Self.problem(with: bytes.span, lacking: .noCertificate) }
                for (index, certificate) in found.enumerated() {
                    guard (try? CertificateWalk(of: certificate.span)) != nil else {
                        throw .unreadableCertificate(number: index + 1)
                    }
                }
                return found
            }
            self = try Self.placing(key) { () throws(IdentityError.Problem) in
                let (keys, form) = try Self.keys(in: key, passphrase)
                let key = try keys.chosen(choice, certificates: found)
                var identity = try KeyedIdentity(name: name, certificates: found, key: key)
                identity.form = form
                return identity
            }
        }
    }

    /// Reads an identity from the bytes of one file, PKCS#12 or PEM.
    public init(
        name: String,
        parsing bytes: Span<UInt8>,
        passphrase: SharedSecret? = nil,
        choosing choice: String? = nil
    ) throws(IdentityError.Problem) {
        guard bytes.count <= IdentityLimits.fileBytes else { throw .tooLarge }
        // No text of PEM begins with the tag of a sequence and a byte outside of ASCII.
        if DERKey(of: bytes) != nil { throw .noCertificate }
        if bytes.count > 1, bytes[0] == BERTag.sequence, bytes[1] >= 0x80 {
            guard PKCS12File.isPKCS12(bytes) else {
                let isCertificate = (try? CertificateWalk(of: bytes)) != nil
                throw Self.problem(with: bytes, lacking: isCertificate ? .noKey : .notPKCS12)
            }
            try self.init(name: name, parsingPKCS12: bytes, passphrase, choice)
        } else if var inner = try PEMKey.block(labelled: ["PKCS12"], in: bytes) {
            // As certtool of GnuTLS writes it without --outder.
            defer { erase(&inner) }
            try self.init(name: name, parsingPKCS12: inner.span, passphrase, choice)
        } else {
            let certificates = try Self.certificates(in: bytes)
            var budget = WorkBudget()
            let keys = try PEMKey.readAll(in: bytes, passphrase: passphrase, &budget)
            guard !keys.isEmpty else {
                throw Self.problem(with: bytes, lacking: certificates.isEmpty ? .notPEM : .noKey)
            }
            let key = try keys.chosen(choice, certificates: certificates)
            try self.init(name: name, certificates: certificates, key: key)
            form = IdentityForm(container: .pem, encryptions: budget.encryptions)
        }
    }

    private init(
        name: String,
        parsingPKCS12 bytes: Span<UInt8>,
        _ passphrase: SharedSecret?,
        _ choice: String?
    ) throws(IdentityError.Problem) {
        let file = try PKCS12File(parsing: bytes, passphrase: passphrase)
        let key = try file.keys.chosen(choice, certificates: file.certificates)
        try self.init(name: name, certificates: file.certificates, key: key)
        form = IdentityForm(container: .pkcs12, encryptions: file.encryptions)
    }

    /// What is wrong with a file without a key, or without a certificate.
    private static func problem(
        with bytes: Span<UInt8>,
        lacking problem: IdentityError.Problem
    ) -> IdentityError.Problem {
        if isPKCS7(bytes) { return .certificatesOnly }
        return OtherForm(of: bytes).map { .otherForm($0) } ?? problem
    }

    /// Whether this is PKCS#7, which people export beside a key: SEQUENCE { signedData, … } (RFC 2315 section 14).
    private static func isPKCS7(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 0, bytes[0] == BERTag.sequence else {
            return (try? PEMKey.block(labelled: ["PKCS7", "CMS"], in: bytes))?.isEmpty == false
        }
        var whole = BERReader(over: 0..<bytes.count, of: .file)
        guard var fields = try? whole.enter(BERTag.sequence, in: bytes),
            let identifier = try? fields.readIdentifier(in: bytes)
        else { return false }
        return dottedText(of: identifier) == "1.2.840.113549.1.7.2"
    }

    /// The keys of a file without certificates, PEM or DER; at least one.
    fileprivate static func keys(
        in path: String,
        _ passphrase: SharedSecret?
    ) throws(IdentityError.Problem) -> ([NamedKey], IdentityForm) {
        var bytes = try readPrivately(path)
        defer { erase(&bytes) }
        var budget = WorkBudget()
        let derForm = DERKey(of: bytes.span)
        let keys: [NamedKey]
        if let derForm {
            keys = [NamedKey(key: try derForm.key(in: bytes.span, passphrase: passphrase, &budget), name: nil)]
        } else {
            keys = try PEMKey.readAll(in: bytes.span, passphrase: passphrase, &budget)
        }
        guard !keys.isEmpty else { throw problem(with: bytes.span, lacking: .noKey) }
        return (keys, IdentityForm(container: derForm == nil ? .pem : .der, encryptions: budget.encryptions))
    }

    fileprivate static func placing<Value>(
        _ place: String,
        _ body: () throws(IdentityError.Problem) -> Value
    ) throws(IdentityError) -> Value {
        do throws(IdentityError.Problem) {
            return try body()
        } catch {
            throw IdentityError(place: place, problem: error)
        }
    }

    private static func certificates(in bytes: Span<UInt8>) throws(IdentityError.Problem) -> [[UInt8]] {
        // In DER these begin as a certificate does.
        if bytes.count > 0, bytes[0] == BERTag.sequence {
            if DERKey(of: bytes) != nil { throw .noCertificate }
            if isPKCS7(bytes) || OtherForm(of: bytes) != nil { throw problem(with: bytes, lacking: .noCertificate) }
        }
        do throws(PEMError) {
            return try CertificateInput.certificates(in: bytes)
        } catch {
            throw .damagedPEM(error)
        }
    }

    private static func readPrivately(_ path: String) throws(IdentityError.Problem) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(PrivateFileProblem) {
            bytes = try PrivateFile.read(path, atMost: IdentityLimits.fileBytes)
        } catch {
            // Of a certificate alone anybody may know: its file has another fault.
            switch error {
            case .othersMayUse, .othersMayUseRoots:
                if let open = try? readOpenly(path), !mayHoldKey(open) {
                    throw problem(with: open.span, lacking: .noKey)
                }
            default: break
            }
            throw .init(error)
        }
        guard let bytes else { throw .tooLarge }
        return bytes
    }

    /// Whether a key may be in a file: in DER, or in PEM.
    private static func mayHoldKey(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return bytes.first == BERTag.sequence || text.contains("PRIVATE KEY-----") || text.contains("BEGIN PKCS12-----")
    }

    private static func readOpenly(_ path: String) throws(IdentityError.Problem) -> [UInt8] {
        let bytes: [UInt8]
        do throws(FileReadError) {
            bytes = try FileReading.start(of: path, count: IdentityLimits.fileBytes + 1)
        } catch {
            throw error.errno == 2 ? .missing : .system(operation: "open the file", code: error.errno)
        }
        guard bytes.count <= IdentityLimits.fileBytes else { throw .tooLarge }
        return bytes
    }
}

extension IdentityKey {
    /// Reads the only private key of a file in PEM or DER.
    ///
    /// The file must belong to this user, and only they may use it.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - passphrase: that of an encrypted key; `nil` for none.
    /// - Throws: ``IdentityError``.
    /// - Complexity: as ``KeyedIdentity/init(name:reading:passphrase:choosing:)``.
    public init(reading path: String, passphrase: SharedSecret? = nil) throws(IdentityError) {
        self = try KeyedIdentity.placing(path) { () throws(IdentityError.Problem) in
            try KeyedIdentity.keys(in: path, passphrase).0.chosen(nil, certificates: [])
        }
    }
}
