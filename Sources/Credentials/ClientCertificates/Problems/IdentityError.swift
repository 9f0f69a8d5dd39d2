internal import Credentials
public import SPKIPins

/// Why the files of an identity were not used. It holds no part of a key or a passphrase.
public struct IdentityError: Error, Equatable, Sendable {
    /// The path of the file or the name of the program, or the name of the identity if it was not read from either.
    public let place: String
    /// What is wrong.
    public let problem: Problem

    /// Makes an error.
    public init(place: String, problem: Problem) {
        self.place = place
        self.problem = problem
    }

    /// A part of a PKCS#12 or PEM file.
    public enum Part: String, Equatable, Sendable {
        /// The outermost structure.
        case file
        /// The authentication code over the contents.
        case integrityCode = "integrity code"
        /// The list of what the file holds.
        case contents
        /// A key, a certificate, or something else with its attributes.
        case bag
        /// The parameters of an encryption.
        case encryption
        /// Contents that are encrypted.
        case ciphertext
        /// A private key.
        case key
        /// A block of PEM.
        case block
    }

    /// What is wrong.
    public enum Problem: Error, Equatable, Sendable {
        /// No file is at the path.
        case missing
        /// The store has no identity of this name.
        case notInStore
        /// The program that prints the identity has failed.
        case program(reason: String)
        /// The group or others may use the file, which holds a key; `mode` is its permissions.
        case othersMayUse(mode: UInt16)
        /// The file belongs to root, and its group may write it, or others may use it; `mode` is its permissions.
        case othersMayUseRoots(mode: UInt16)
        /// The file belongs to another user.
        case notOwned
        /// The system refused an operation; `code` is its error number.
        case system(operation: String, code: Int32)
        /// The file has more than ``IdentityLimits/fileBytes``.
        case tooLarge
        /// The file does not begin as PKCS#12 version 3.
        case notPKCS12
        /// The file has no block of PEM.
        case notPEM
        /// A text of PEM is damaged; the error says in which line.
        case damagedPEM(PEMError)
        /// A part of the file is damaged.
        case malformed(Part)
        /// An algorithm or format that is not supported: its object identifier, or a name.
        case unsupported(String)
        /// A known form that is not read; its description has the command that writes another one.
        case otherForm(OtherForm)
        /// The key derivations of the file need more than ``IdentityLimits/iterations``, or their number is not positive.
        case tooCostly
        /// The file is encrypted, and no passphrase is given.
        case passphraseNeeded
        /// The passphrase is another one, or the file was changed.
        case wrongPassphrase
        /// The passphrase is not UTF-8, or has more than ``IdentityLimits/passphraseBytes``.
        case unusablePassphrase
        /// The PKCS#12 file has no authentication code that shows whether the passphrase is right.
        case noIntegrityCode
        /// The file has no private key.
        case noKey
        /// The file has several private keys, with these names.
        case severalKeys([String])
        /// The file has no private key of the name that was chosen, but these.
        case noSuchKey(String, [String])
        /// The file has more than ``IdentityLimits/keys``.
        case tooManyKeys
        /// PKCS#7, which has certificates and no key.
        case certificatesOnly
        /// The file has no certificate.
        case noCertificate
        /// The file has more than ``IdentityLimits/certificates``.
        case tooManyCertificates
        /// A certificate cannot be read; counted from 1.
        case unreadableCertificate(number: Int)
        /// The private key is damaged, or has more than ``IdentityLimits/keyBytes``.
        case unreadableKey
        /// A kind of key that is not supported.
        case unsupportedKey(String)
        /// The private key belongs to none of the certificates.
        case keyMatchesNoCertificate
    }
}

extension IdentityError.Problem {
    init(_ problem: PrivateFileProblem) {
        self =
            switch problem {
            case .missing: .missing
            case .othersMayUse(let mode): .othersMayUse(mode: mode)
            case .othersMayUseRoots(let mode): .othersMayUseRoots(mode: mode)
            case .notOwned: .notOwned
            case .system(let operation, let code): .system(operation: operation, code: code)
            }
    }
}
