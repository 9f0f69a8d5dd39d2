public import Credentials

/// Which token and which key of it: a URI with the scheme `pkcs11` (RFC 7512).
///
/// ```
/// pkcs11:token=Work;id=%01?module-path=/usr/lib/opensc-pkcs11.so&pin-source=file:/run/secrets/pin
/// ```
///
/// What is absent fits every token or object. A URI never contains a PIN.
public struct PKCS11URI: Hashable, Sendable {
    /// The label of the token, without the spaces at its end.
    public var token: String?
    /// Who made the token.
    public var manufacturer: String?
    /// The model of the token.
    public var model: String?
    /// The serial number of the token.
    public var serial: String?
    /// The label of the key or of its certificate (CKA_LABEL).
    public var object: String?
    /// The identifier that a key and its certificate share (CKA_ID).
    public var id: [UInt8]?
    /// The absolute path of the module.
    public var modulePath: String?
    /// The file of the PIN.
    public var pinSource: SecretReference?

    /// Fits every token and every object.
    public init() {}
}

extension PKCS11URI: CustomStringConvertible {
    /// The URI in its usual form: attributes in a fixed order, all but unreserved characters as `%` and two digits.
    public var description: String {
        let texts = [
            ("token", token), ("manufacturer", manufacturer), ("model", model), ("serial", serial), ("object", object),
        ]
        var path = texts.compactMap { name, text in text.map { "\(name)=\(Self.encode(Array($0.utf8)))" } }
        if let id { path.append("id=\(Self.encode(id))") }
        var query: [String] = []
        if let modulePath { query.append("module-path=\(Self.encode(Array(modulePath.utf8), keeping: "/"))") }
        if case .file(let path)? = pinSource {
            query.append("pin-source=file:\(Self.encode(Array(path.utf8), keeping: "/"))")
        }
        return "pkcs11:" + path.joined(separator: ";") + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    private static func encode(_ bytes: [UInt8], keeping kept: Unicode.Scalar? = nil) -> String {
        var text = ""
        for byte in bytes {
            let scalar = Unicode.Scalar(byte)
            if isUnreserved(byte) || scalar == kept {
                text.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }

    /// RFC 3986 section 2.3.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
