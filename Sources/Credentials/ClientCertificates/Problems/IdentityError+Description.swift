internal import Credentials
internal import SPKIPins
internal import WireFormat

extension IdentityError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String { "\(place): \(problem)" }
}

extension IdentityError.Problem: CustomStringConvertible {
    /// The problem and the remedy, without the place.
    public var description: String {
        switch self {
        case .missing: "the file does not exist: check the path"
        case .notInStore:
            "the store has no identity of this name: see 'sallyport identity list', or keep one with 'sallyport identity import'"
        case .program(let reason): "the program \(reason): run it by hand to see why"
        case .othersMayUse(let mode): "\(PrivateFileProblem.othersMayUse(mode: mode)), and renew its key"
        case .othersMayUseRoots(let mode): "\(PrivateFileProblem.othersMayUseRoots(mode: mode))"
        case .notOwned: "\(PrivateFileProblem.notOwned)"
        case .system(let operation, let code): "cannot \(operation) (\(SystemReason.text(code))): check path and mode"
        case .tooLarge: "the file has more than \(IdentityLimits.fileBytes) bytes: check the path"
        case .notPKCS12: "the file is not PKCS#12: give a .p12 or .pfx file"
        case .notPEM: "the file has no block of PEM: give a PEM file"
        case .damagedPEM(let error): "\(error)"
        case .malformed(let part): "the \(part.rawValue) is damaged: export the identity again"
        case .unsupported(let name):
            "\(VisibleText.quoted(name)) is not supported: export the identity again with AES-256 and SHA-256"
        case .otherForm(let form): "\(form)"
        case .tooCostly:
            "the file asks for more than \(IdentityLimits.iterations) iterations, or for none: export it again with fewer"
        case .passphraseNeeded: "the file is encrypted: give its passphrase"
        case .wrongPassphrase: "the passphrase is wrong, or the file was changed: check the passphrase"
        case .unusablePassphrase:
            "the passphrase is not UTF-8, or longer than \(IdentityLimits.passphraseBytes) bytes: check where it comes from"
        case .noIntegrityCode:
            "the file has no integrity code, so changes would not be seen: export it again with one"
        case .noKey: "the file has no private key: export the identity with its key"
        case .severalKeys(let names):
            "the file has several private keys: export one identity only, or choose one with --alias of 'sallyport identity import': \(Self.list(names))"
        case .noSuchKey(let name, let names):
            "the file has no private key \(VisibleText.quoted(name)): choose one of \(Self.list(names))"
        case .tooManyKeys: "the file has more than \(IdentityLimits.keys) private keys: export one identity only"
        case .certificatesOnly:
            "this is PKCS #7 (.p7b), which has certificates and no key: write them to a PEM file with 'openssl pkcs7 -print_certs', and give "
                + "that file with --key and the file of the key"
        case .noCertificate: "the file has no certificate: export the identity with its certificate"
        case .tooManyCertificates:
            "the file has more than \(IdentityLimits.certificates) certificates: keep those of the chain"
        case .unreadableCertificate(let number): "certificate \(number) cannot be read: export the identity again"
        case .unreadableKey: "the private key cannot be read: export the identity again"
        case .unsupportedKey(let name):
            "a private key of the kind \(VisibleText.quoted(name)) is not supported: use RSA of 2048 bits or more, or EC "
                + "on P-256, P-384 or P-521"
        case .keyMatchesNoCertificate: "the private key belongs to none of the certificates: give the matching pair"
        }
    }

    /// Names in quotes, as the option takes them.
    private static func list(_ names: [String]) -> String {
        names.map { VisibleText.quoted($0) }.joined(separator: ", ")
    }
}
