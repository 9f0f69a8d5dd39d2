public import HTTPTypes
public import Negotiate

/// The value of an `Authorization` or `Proxy-Authorization` field.
///
/// It may contain a password that is encoded and not encrypted, so its description is scheme and length. Send
/// ``bytes``.
public struct AuthorizationValue: Equatable, Sendable {
    /// The value as text. After a challenge in UTF-8 its UTF-8 form is ``bytes``. After a challenge in another encoding
    /// each character of the text is one byte of ``bytes``.
    public let text: String
    private let encoding: FieldEncoding

    /// A value in UTF-8.
    public init(_ text: String) { self.init(text, encoding: .utf8) }

    package init(_ text: String, encoding: FieldEncoding) {
        self.text = text
        self.encoding = encoding
    }

    /// The bytes of the field value.
    public var bytes: [UInt8] { encoding.bytes(of: text) }

    /// Appends ``bytes``.
    package func append(to bytes: inout [UInt8]) { encoding.append(text, to: &bytes) }

    /// The field called `name` with this value, byte for byte.
    ///
    /// A field prints its value, so do not log it. No HTTP/2 table may keep it (RFC 7541 section 7.1.3).
    public func field(named name: HTTPField.Name) -> HTTPField {
        var field = encoding == .utf8 ? HTTPField(name: name, value: text) : HTTPField(name: name, value: bytes)
        field.indexingStrategy = .disallow
        return field
    }
}

extension AuthorizationValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme and the number of bytes, without the value.
    public var description: String {
        "\(text.prefix { $0 != " " }) <\(encoding == .utf8 ? text.utf8.count : text.unicodeScalars.count) bytes>"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children, so that a dump does not show the value.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The next step of the caller of an exchange.
public enum ExchangeStep: Equatable, Sendable {
    /// Repeat the request with this field.
    ///
    /// If `sameConnection` is true, send the request on the connection of the response, with no other request in
    /// between; a caller that cannot ensure this must stop. Otherwise any connection is allowed, also a new one.
    case send(field: HTTPField.Name, value: AuthorizationValue, sameConnection: Bool)
    /// Fetch this, and pass it to ``AuthenticationExchange/supplied(_:)``.
    case needs(SystemMessageNeed)
    /// The party does not challenge any more; the response is the answer to the request.
    case done
    /// The exchange failed; send no more messages in it.
    case fail(ExchangeFailure)
}
