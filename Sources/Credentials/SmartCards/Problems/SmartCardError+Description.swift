internal import Credentials
internal import WireFormat

extension SmartCardError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String { "\(place): \(problem)" }
}

extension SmartCardError.Problem: CustomStringConvertible {
    /// The problem and the remedy, without the place.
    public var description: String {
        switch self {
        case .noModule: "no module is named: add ?module-path= with the path of the PKCS #11 library"
        case .relativePath: "the path of the module is not absolute: give the whole path"
        case .missingModule: "the file does not exist: install the module of the card, or correct the path"
        case .unloadableModule(let reason):
            "the file cannot be loaded (\(VisibleText.quoted(reason))): give a PKCS #11 library for this machine"
        case .notAModule: "the library has no C_GetFunctionList: give the path of a PKCS #11 module"
        case .unsupportedVersion(let version): "the module has version \(version): use one of version 2 or 3"
        case .notThreadSafe: "the module cannot be used by threads: use another module"
        case .failed(let function, let value): "\(function) failed with \(value): see the documentation of the module"
        case .implausible(let function): "\(function) returned what cannot be: update the module"
        case .tooMany(let things, let limit): "there are more than \(limit) \(things): use a module or token with fewer"
        case .forked: "the process was forked after the module was opened: open the card in the child"
        case .noCard: "no card fits: insert it, or correct the URI"
        case .severalCards(let count): "\(count) cards fit: add serial= or token= to the URI"
        case .removed(let value): "the card is gone (\(value)): insert it, and open it again"
        case .closed: "the card is closed: open it again"
        case .pinNeeded: "the card needs a PIN: give one, or add pin-source= to the URI"
        case .pinSource(let error): "\(error)"
        case .pinPad: "the PIN is typed at the reader, which is not supported: use a reader without keys"
        case .unusablePIN: "the PIN does not have the form that the card takes: check where it comes from"
        case .wrongPIN(let state):
            switch state {
            case .lastTry: "the PIN is wrong, and one more wrong PIN locks the card: check the PIN elsewhere first"
            case .locked: "the PIN is wrong, and the card is locked now: unlock it with its PUK or SO PIN"
            case .tried, .unknown: "the PIN is wrong: correct it before the next try, because tokens lock after a few"
            }
        case .refusedPIN: "the card refused this PIN before, so it was not tried again: correct the PIN"
        case .lastTry:
            "one more wrong PIN locks the card, so none was tried: give the right PIN to another program, or allow the "
                + "last try"
        case .pinLocked: "the card is locked: unlock it with its PUK or SO PIN"
        case .pinNotSet: "the card has no PIN of its user: set one"
        case .pinExpired: "the PIN has expired: change it"
        case .noIdentity: "no private key fits: correct object= or id= in the URI"
        case .severalIdentities(let objects):
            "several keys fit (\(objects.prefix(5).map(VisibleText.quoted).joined(separator: ", "))): add id= to the URI"
        case .keyWithoutCertificate: "the card has no certificate of this key: put one with the same CKA_ID onto it"
        case .certificateWithoutKey: "the card has no private key of this certificate: name another object"
        case .keyNotForSigning: "the key may not make signatures (CKA_SIGN): use another key"
        case .unsupportedKey:
            "keys of this kind are not supported: use RSA of 2048 bits or more, or EC on P-256, P-384 or P-521"
        case .chain(let text): text
        case .unsupportedAlgorithm(let algorithm): "the key does not sign with \(algorithm): use one of its algorithms"
        case .messageTooLong: "the message has more than \(SmartCardLimits.messageBytes) bytes: sign a shorter one"
        case .wrongSignature: "the signature is not one of the certificate's key: check the card, or update the module"
        case .timedOut(let milliseconds):
            "the card did not answer within \(milliseconds) ms: insert it again, or raise waitLimit"
        case .noThread(let code):
            "no thread starts for the card (\(SystemReason.text(code))): check the limits of this process"
        case .busy: "more than \(SmartCardLimits.waitingRequests) requests wait for the card: send fewer at once"
        }
    }
}
