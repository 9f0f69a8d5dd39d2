internal import HTTPAuthentication
internal import HTTPTypes

/// What one send adds to its request. A class, because it is large, most parts of a host only pass it on, and an answer that is repeated
/// has it ready.
final class AddedFields: Equatable, Sendable {
    private let fieldForOrigin: HTTPField?
    private let fieldForProxy: HTTPField?
    /// One answer in place of fields, of which most hosts need only ``line``: a field reads each byte of its value when it is made.
    private let alone: AuthorizationValue?
    private let aloneFor: ChallengedParty
    let proof: ProofField?
    let placed: PlacedToken?
    /// The only field as a line of HTTP/1.1; `nil` where there may be others.
    let line: [UInt8]?

    init(
        authorization: HTTPField?,
        proof: ProofField?,
        proxyAuthorization: HTTPField?,
        placed: PlacedToken?
    ) {
        (fieldForOrigin, fieldForProxy) = (authorization, proxyAuthorization)
        (self.proof, self.placed) = (proof, placed)
        (alone, aloneFor, line) = (nil, .origin, nil)
    }

    /// One answer for one party, which many requests send.
    init(repeating value: AuthorizationValue, for party: ChallengedParty) {
        let field = value.field(named: party.answerField)
        (fieldForOrigin, fieldForProxy) = party == .origin ? (field, nil) : (nil, field)
        (proof, placed, alone, aloneFor) = (nil, nil, nil, party)
        line = Self.line(value, for: party)
    }

    /// One answer for one party, which one request sends.
    init(alone value: AuthorizationValue, for party: ChallengedParty) {
        (fieldForOrigin, fieldForProxy, proof, placed) = (nil, nil, nil, nil)
        (alone, aloneFor) = (value, party)
        line = Self.line(value, for: party)
    }

    private static let beginForOrigin = [UInt8]("\(ChallengedParty.origin.answerField.rawName): ".utf8)
    private static let beginForProxy = [UInt8]("\(ChallengedParty.proxy.answerField.rawName): ".utf8)

    private static func line(_ value: AuthorizationValue, for party: ChallengedParty) -> [UInt8] {
        let begin = party == .origin ? beginForOrigin : beginForProxy
        var line: [UInt8] = []
        line.reserveCapacity(begin.count + value.text.utf8.count + 2)
        line.append(contentsOf: begin)
        value.append(to: &line)
        line.append(UInt8(ascii: "\r"))
        line.append(UInt8(ascii: "\n"))
        return line
    }

    var authorization: HTTPField? { fieldForOrigin ?? fieldAlone(for: .origin) }
    var proxyAuthorization: HTTPField? { fieldForProxy ?? fieldAlone(for: .proxy) }

    func field(for party: ChallengedParty) -> HTTPField? { party == .origin ? authorization : proxyAuthorization }

    private func fieldAlone(for party: ChallengedParty) -> HTTPField? {
        guard let alone, aloneFor == party else { return nil }
        return alone.field(named: party.answerField)
    }

    /// Whether a party gets an answer.
    var hasAnswer: Bool {
        if case .some = fieldForOrigin { return true }
        if case .some = fieldForProxy { return true }
        if case .some = alone { return true }
        return false
    }

    static func == (left: AddedFields, right: AddedFields) -> Bool {
        left.authorization == right.authorization && left.proof == right.proof
            && left.proxyAuthorization == right.proxyAuthorization && left.placed == right.placed
    }
}
