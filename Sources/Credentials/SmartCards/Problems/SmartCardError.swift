internal import ClientCertificates
public import Credentials

/// Why a key of a card was not used. It holds no part of a PIN.
public struct SmartCardError: Error, Equatable, Sendable {
    /// The path of the module, the URI, or the card with its object.
    public let place: String
    /// What is wrong.
    public let problem: Problem

    /// Makes an error.
    public init(place: String, problem: Problem) {
        self.place = place
        self.problem = problem
    }

    /// What a card says about wrong PINs.
    public enum PINState: Equatable, Sendable {
        /// The card does not tell.
        case unknown
        /// A wrong PIN was given since the last right one.
        case tried
        /// The next wrong PIN locks the card.
        case lastTry
        /// The card is locked.
        case locked
    }

    /// What is wrong.
    public enum Problem: Error, Equatable, Sendable {
        /// Neither the URI nor the caller names the module.
        case noModule
        /// The path of the module is not absolute.
        case relativePath
        /// No file is at the path.
        case missingModule
        /// The system cannot load the file; `reason` is its text.
        case unloadableModule(reason: String)
        /// The file is a library, and it has no function C_GetFunctionList.
        case notAModule
        /// The module has another major version than 2 or 3.
        case unsupportedVersion(String)
        /// The module cannot be used by several threads.
        case notThreadSafe
        /// A function of the module failed.
        case failed(String, ReturnValue)
        /// A function of the module returned a count, a length or a value that cannot be.
        case implausible(String)
        /// More slots, objects or mechanisms than ``SmartCardLimits`` allows.
        case tooMany(String, limit: Int)
        /// The process was forked after the module was opened.
        case forked
        /// No card fits the URI.
        case noCard
        /// Several cards fit the URI.
        case severalCards(Int)
        /// The card, its session or its login is gone, and a new session did not help.
        case removed(ReturnValue)
        /// The card was closed by its user.
        case closed
        /// The card needs a PIN, and none is given.
        case pinNeeded
        /// The file of the PIN cannot be used.
        case pinSource(SecretReferenceError)
        /// The PIN is typed at the reader, which is not supported.
        case pinPad
        /// The PIN is longer than ``SmartCardLimits/pinBytes``, or the card takes none of this form.
        case unusablePIN
        /// The card refused the PIN, which was tried once.
        case wrongPIN(PINState)
        /// The card refused this PIN before in this process, so it was not tried again.
        case refusedPIN
        /// The next wrong PIN locks the card, so none was tried.
        case lastTry
        /// The card is locked.
        case pinLocked
        /// The card has no PIN of its user.
        case pinNotSet
        /// The PIN must be changed.
        case pinExpired
        /// The card has no key that fits the URI.
        case noIdentity
        /// Several keys of the card fit the URI; their objects.
        case severalIdentities([String])
        /// No certificate has the identifier of the key, and of those that have, none has its public key.
        case keyWithoutCertificate
        /// No private key has the identifier of the certificate.
        case certificateWithoutKey
        /// The key may not make signatures (CKA_SIGN).
        case keyNotForSigning
        /// A kind of key that is not supported, or the card has no mechanism for it.
        case unsupportedKey
        /// The certificates form no chain.
        case chain(String)
        /// The key does not sign with the algorithm.
        case unsupportedAlgorithm(SigningAlgorithm)
        /// The message is longer than ``SmartCardLimits/messageBytes``.
        case messageTooLong
        /// The module's signature is not one of the certificate's key.
        case wrongSignature
        /// The card did not answer in time.
        case timedOut(milliseconds: Int64)
        /// More requests wait for the card than ``SmartCardLimits/waitingRequests``.
        case busy
        /// The system starts no thread for the card; its error number.
        case noThread(Int32)
    }
}
