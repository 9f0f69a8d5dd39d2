internal import HTTP1
public import HTTPTypes

/// Fields that a relay adds to requests to servers, and fields of its clients that it leaves out.
///
/// A field that is added stands beside one that a client sends. One whose name is removed, too, replaces it. CONNECT stays as it is, because
/// the request inside the tunnel is the client's.
public struct FieldChanges: Sendable {
    /// The lines that are added, each with its end.
    let added: [UInt8]
    /// The names of the fields that are left out, in lower case.
    let removed: Set<String>

    /// No changes.
    public init() { (added, removed) = ([], []) }

    /// Changes of fields that belong to the request itself.
    ///
    /// - Throws: ``FieldChangesError`` for fields that the relay writes or answers itself.
    public init(adding fields: [HTTPField] = [], removing names: [HTTPField.Name] = []) throws(FieldChangesError) {
        for name in fields.map(\.name) + names { try Self.check(name) }
        added = fields.flatMap { Array("\($0.name.rawName): \($0.value)\r\n".utf8) }
        removed = Set(names.map(\.canonicalName))
    }

    private static func check(_ name: HTTPField.Name) throws(FieldChangesError) {
        let bytes = Array(name.canonicalName.utf8)
        switch KnownField(bytes.span, 0..<bytes.count) {
        // It names fields behind a body, which belong to its framing.
        case nil: if name == .trailer { throw .ofConnection(name.rawName) }
        case .authorization, .proxyAuthorization: throw .answer(name.rawName)
        case .some: throw .ofConnection(name.rawName)
        }
    }

    var isEmpty: Bool { added.isEmpty && removed.isEmpty }
}

/// Why a field of requests cannot be added or left out; with its name.
public enum FieldChangesError: Error, Equatable, Sendable {
    /// The field answers challenges.
    case answer(String)
    /// The field belongs to the connection, or says where the body ends.
    case ofConnection(String)
}

extension FieldChangesError: CustomStringConvertible {
    /// The problem and the remedy.
    public var description: String {
        switch self {
        case .answer(let name):
            "\(name) answers challenges, which accounts do: give the relay an account, or let the client send its own"
        case .ofConnection(let name):
            "\(name) belongs to the connection or to the end of the message, which the relay writes itself: leave it out"
        }
    }
}
