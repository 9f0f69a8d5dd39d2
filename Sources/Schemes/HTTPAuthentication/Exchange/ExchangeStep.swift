public import HTTPTypes

/// The value of an `Authorization` or `Proxy-Authorization` field.
///
/// It may hold a password that anybody can decode, so it prints as its scheme and length; `text` is for the wire.
public struct AuthorizationValue: Equatable, Sendable {
    /// What goes into the field.
    public let text: String

    package init(_ text: String) {
        self.text = text
    }
}

extension AuthorizationValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme and the number of bytes; never the value.
    public var description: String {
        "\(text.prefix { $0 != " " }) <\(text.utf8.count) bytes>"
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
    /// When `sameConnection` is true the request must go out on the connection that the response came from, and no
    /// other request may use that connection in between; a caller that cannot promise this must stop here.
    case send(field: HTTPField.Name, value: AuthorizationValue, sameConnection: Bool)
    /// The party is satisfied; the response is the answer to the request.
    case done
    /// No answer can be given, and nothing more may be sent in this exchange.
    case fail(ExchangeFailure)
}
