internal import Secrets

/// A body of `application/x-www-form-urlencoded`, written into memory that is erased.
struct FormBody: ~Copyable {
    static let contentType = "application/x-www-form-urlencoded"

    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(1024) }

    /// Appends `name=value`; `nil` or an empty value appends nothing, because a parameter without a value counts as omitted (RFC 6749
    /// section 3.1).
    mutating func append(_ name: StaticString, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        begin(name)
        for byte in value.utf8 { append(escaping: byte) }
    }

    /// Appends a value that is secret.
    mutating func append(_ name: StaticString, _ value: SharedSecret) {
        begin(name)
        value.withBytes { secret in
            for index in secret.indices { append(escaping: secret[index]) }
        }
    }

    /// The body.
    consuming func secret() -> SharedSecret {
        // Not `consuming`: a destructured value cannot have a `deinit`.
        let body = SharedSecret(SecretBytes(copying: bytes.span))
        erase(&bytes)
        return body
    }

    private mutating func begin(_ name: StaticString) {
        if !bytes.isEmpty { append(UInt8(ascii: "&")) }
        for byte in "\(name)".utf8 { append(byte) }
        append(UInt8(ascii: "="))
    }

    private mutating func append(escaping byte: UInt8) { Self.escape(byte) { append($0) } }

    /// Appends a byte. Memory that the array has outgrown is erased.
    private mutating func append(_ byte: UInt8) {
        if bytes.count == bytes.capacity {
            var grown: [UInt8] = []
            grown.reserveCapacity(bytes.count * 2)
            grown += bytes
            erase(&bytes)
            bytes = grown
        }
        bytes.append(byte)
    }

    /// The bytes that stand for `byte` (WHATWG URL, application/x-www-form-urlencoded percent-encode set).
    static func escape(_ byte: UInt8, _ emit: (UInt8) -> Void) {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            emit(byte)
        case UInt8(ascii: " "): emit(UInt8(ascii: "+"))
        default:
            let digits = Array("0123456789ABCDEF".utf8)
            emit(UInt8(ascii: "%"))
            emit(digits[Int(byte >> 4)])
            emit(digits[Int(byte & 15)])
        }
    }

    /// The same for a text that is not secret.
    static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 { escape(byte) { bytes.append($0) } }
        return String(decoding: bytes, as: UTF8.self)
    }
}
