package import HTTPTypes

/// The field of a proof of possession. An object, because a send is copied often, and most have none.
package final class ProofField: Sendable {
    package let field: HTTPField

    init(_ field: HTTPField) { self.field = field }
}

extension ProofField: Equatable {
    /// Whether both are one proof.
    package static func == (one: ProofField, other: ProofField) -> Bool { one.field == other.field }
}
