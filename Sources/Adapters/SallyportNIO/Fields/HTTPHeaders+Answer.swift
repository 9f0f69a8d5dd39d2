public import HTTPTypes
public import NIOHTTP1
package import Sallyport

extension HTTPHeaders {
    /// Puts `fields` in the place of fields with the same names.
    ///
    /// - Throws: ``UnsendableField`` if a value has bytes that a `String` cannot hold, such as a realm in Latin-1.
    public mutating func replace(with fields: [HTTPField]) throws(UnsendableField) {
        for field in fields {
            guard let value = field.wholeText else { throw UnsendableField(name: field.name) }
            replaceOrAdd(name: field.name.rawName, value: value)
        }
    }

    /// The same for all fields of a send.
    package mutating func replace(with sending: RequestSending) throws(UnsendableField) {
        var unsendable: UnsendableField?
        sending.forEachField { field in
            guard let value = field.wholeText else { return unsendable = UnsendableField(name: field.name) }
            replaceOrAdd(name: field.name.rawName, value: value)
        }
        if let unsendable { throw unsendable }
    }

    /// The same, where other fields can be sent besides.
    ///
    /// - Returns: the fields whose values a `String` cannot hold; none of their names is left here.
    package mutating func replaceTexts(with fields: [HTTPField]) -> [HTTPField] {
        var others: [HTTPField] = []
        for field in fields {
            if let value = field.wholeText {
                replaceOrAdd(name: field.name.rawName, value: value)
            } else {
                remove(name: field.name.rawName)
                others.append(field)
            }
        }
        return others
    }
}

/// A field whose value NIO cannot send unchanged.
public struct UnsendableField: Error, Equatable, Sendable {
    /// The name of the field.
    public let name: HTTPField.Name

    package init(name: HTTPField.Name) { self.name = name }
}

extension UnsendableField: CustomStringConvertible {
    /// One line: what, why, and what to do.
    public var description: String {
        // The user name is written in UTF-8, whatever the challenge has.
        "\(name): the answer must repeat the realm, nonce or opaque of the challenge, which is not UTF-8, and this client's encoder sends "
            + "UTF-8 alone: use AuthenticatedClient of SallyportClient, or ask who runs the server or proxy to write the challenge in UTF-8"
    }
}

extension HTTPField {
    /// The value as a text with all of its bytes; `nil` for one that is not UTF-8.
    package var wholeText: String? {
        let text = value
        // In bounds: the buffer is the field's own.
        return unsafe withUnsafeBytesOfValue { unsafe $0.elementsEqual(text.utf8) } ? text : nil
    }
}
