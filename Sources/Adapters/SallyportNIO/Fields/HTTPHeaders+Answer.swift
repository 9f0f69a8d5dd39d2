public import HTTPTypes
public import NIOHTTP1
internal import Sallyport

extension HTTPHeaders {
    /// Puts `fields` in the place of fields with the same names.
    ///
    /// - Throws: ``UnsendableField`` if a value has bytes that a `String` cannot hold, such as a user name in Latin-1.
    public mutating func replace(with fields: [HTTPField]) throws(UnsendableField) {
        for field in fields {
            let value = field.value
            guard field.isWhole(value) else { throw UnsendableField(name: field.name) }
            replaceOrAdd(name: field.name.rawName, value: value)
        }
    }
}

/// A field whose value NIO cannot send unchanged.
public struct UnsendableField: Error, Equatable, Sendable {
    /// The name of the field.
    public let name: HTTPField.Name
}

extension UnsendableField: CustomStringConvertible {
    /// One line: what, why, and what to do.
    public var description: String {
        "\(name): the answer has bytes that are not UTF-8, which NIO cannot send: use an account whose user name is ASCII"
    }
}

extension HTTPField {
    /// Whether `text` has all bytes of the value.
    fileprivate func isWhole(_ text: String) -> Bool {
        // In bounds: the buffer is the field's own.
        unsafe withUnsafeBytesOfValue { unsafe $0.elementsEqual(text.utf8) }
    }
}
