internal import WireFormat

/// Why a text is not a URI of a token that is supported. It holds no value of the URI.
public enum PKCS11URIError: Error, Equatable, Sendable {
    /// The text has more than ``SmartCardLimits/uriBytes``.
    case tooLong
    /// The text does not begin with `pkcs11:`.
    case otherScheme
    /// A byte that RFC 7512 does not allow at this place, counted from 0.
    case unexpectedByte(offset: Int)
    /// A `%` without two hexadecimal digits.
    case brokenPercent(offset: Int)
    /// An attribute without a name or without `=`.
    case brokenAttribute(offset: Int)
    /// An attribute that neither RFC 7512 nor this library knows.
    case unknownAttribute(String)
    /// An attribute of RFC 7512 that is not supported; the second text says what to use.
    case unsupportedAttribute(String, use: String)
    /// An attribute that is there twice.
    case repeatedAttribute(String)
    /// A value that no token can have, because it is longer than the field.
    case valueTooLong(String, limit: Int)
    /// A value that is empty, not UTF-8, or contains a NUL.
    case unusableValue(String)
    /// The URI contains a PIN, which is a secret.
    case pinInside
    /// The source of the PIN is a command or not an absolute path.
    case otherPINSource
    /// The path of the module is not absolute.
    case relativeModulePath
    /// The type of the object is not `private` or `cert`.
    case otherType
}

extension PKCS11URIError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .tooLong: "the URI has more than \(SmartCardLimits.uriBytes) bytes: remove attributes"
        case .otherScheme: "the URI does not begin with pkcs11: write pkcs11:token=…"
        case .unexpectedByte(let offset): "byte \(offset) of the URI is not allowed there: write it as % and two digits"
        case .brokenPercent(let offset):
            "byte \(offset) of the URI is a % without two hexadecimal digits: write %25 for %"
        case .brokenAttribute(let offset): "byte \(offset) of the URI begins no attribute: write name=value"
        case .unknownAttribute(let name): "the attribute \(VisibleText.quoted(name)) is not known: remove it"
        case .unsupportedAttribute(let name, let use): "the attribute \(name) is not supported: use \(use)"
        case .repeatedAttribute(let name): "the attribute \(name) is there twice: remove one"
        case .valueTooLong(let name, let limit): "the value of \(name) has more than \(limit) bytes: correct it"
        case .unusableValue(let name): "the value of \(name) is empty, not UTF-8 or contains %00: correct it"
        case .pinInside: "the URI contains a PIN: remove pin-value, and name a file with pin-source"
        case .otherPINSource: "pin-source is not a file: write pin-source=file:/path, because commands are not run"
        case .relativeModulePath: "module-path is not absolute: give the whole path"
        case .otherType: "the type of the object is neither private nor cert: correct or remove type"
        }
    }
}
