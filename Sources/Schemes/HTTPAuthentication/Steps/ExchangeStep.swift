public import HTTPTypes

/// The value of an `Authorization` or `Proxy-Authorization` field.
///
/// It may hold a password that anyone can decode, so it prints as its scheme and length. The wire gets ``bytes``.
public struct AuthorizationValue: Equatable, Sendable {
    /// The value as text. It equals the field's bytes in UTF-8, except after a challenge that was not UTF-8: the answer
    /// then repeats bytes that only ``bytes`` has, and each character of the text is one of them.
    public let text: String
    private let encoding: FieldEncoding

    package init(_ text: String, encoding: FieldEncoding = .utf8) {
        self.text = text
        self.encoding = encoding
    }

    /// What goes into the field.
    public var bytes: [UInt8] { encoding.bytes(of: text) }

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
    /// The scheme and the number of bytes; never the value.
    public var description: String {
        "\(text.prefix { $0 != " " }) <\(encoding == .utf8 ? text.utf8.count : text.unicodeScalars.count) bytes>"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// No children: a dump shows no more than a description does.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What an exchange asks its caller to do next.
public enum ExchangeStep: Equatable, Sendable {
    /// Repeat the request with this field.
    ///
    /// When `sameConnection` is true, the request must go out on the connection that the response came from, and no
    /// other request may use that connection in between; a caller that cannot promise this must stop here. Otherwise any
    /// connection serves, a new one as well.
    case send(field: HTTPField.Name, value: AuthorizationValue, sameConnection: Bool)
    /// The party is satisfied; the response is the answer to the request.
    case done
    /// No answer can be given, and nothing more may be sent in this exchange.
    case fail(ExchangeFailure)
}
