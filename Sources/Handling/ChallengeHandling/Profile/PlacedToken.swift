internal import HTTPAuthentication
package import HTTPTypes
internal import Secrets

/// The token of an account in the form in which a request carries it. Made once, so that a request copies one reference.
package final class PlacedToken: Sendable {
    /// The account's name in the profile.
    package let account: String
    /// Where it goes.
    package let placement: TokenPlacement
    /// The fields that take the place of fields with the same names: the one of the token, and the `Referer`.
    package let fields: [HTTPField]
    /// `NAME=TOKEN` for the query; `nil` for a field.
    private let parameter: String?
    /// What a server could repeat of the token: as it is, and as it stands in a URL.
    private let spellings: [String]

    init(_ token: SharedSecret, _ placement: TokenPlacement, of account: String) throws(TokenPlacement.Defect) {
        if let defect = placement.defect { throw defect }
        guard let bearer = BearerExchange.value(of: token) else { throw .unsendableToken }
        (self.account, self.placement) = (account, placement)
        let text = String(bearer.text.dropFirst(Self.prefix.count))
        let escaped = Self.escaped(text)
        spellings = escaped.utf8.count > text.utf8.count ? [escaped, text] : [text]
        var fields: [HTTPField] = []
        switch placement.position {
        case .field(let name):
            guard let fieldName = HTTPField.Name(name) else { throw .malformedField(name) }
            let isAuthorization = name.lowercased().hasSuffix("authorization")
            fields.append(AuthorizationValue(isAuthorization ? bearer.text : text).field(named: fieldName))
            parameter = nil
        case .query(let name): parameter = "\(name)=\(escaped)"
        }
        if let referer = placement.referer { fields.append(HTTPField(name: .referer, value: referer)) }
        self.fields = fields
    }

    private static let prefix = "Bearer "

    /// RFC 3986 section 2.1.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            if byte.isUnreserved {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                escaped += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }

    // MARK: Targets

    /// The target that carries the token in its query, in place of parameters with the same name; `target` itself for a field.
    ///
    /// - Parameter target: in origin form or absolute form, without a fragment. `*` stays as it is.
    package func target(_ target: String) -> String {
        guard let parameter, target != "*" else { return target }
        let rest = without(target) { _ in true }
        let hasQuery = rest.utf8.contains(UInt8(ascii: "?"))
        let joint = hasQuery ? (rest.hasSuffix("?") || rest.hasSuffix("&") ? "" : "&") : "?"
        return rest + joint + parameter
    }

    /// `target` without a parameter that holds the token, which a server has repeated in a location.
    package func withoutToken(_ target: String) -> String {
        guard parameter != nil else { return target }
        return without(target) { value in spellings.contains { $0.utf8.elementsEqual(value.utf8) } }
    }

    /// `target` without the parameters of the token's name whose value fits.
    private func without(_ target: String, _ fits: (Substring) -> Bool) -> String {
        guard case .query(let name) = placement.position,
            let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        else { return target }
        let parts = target[target.utf8.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        let kept = parts.filter { part in
            let end = part.utf8.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            guard part[..<end].utf8.elementsEqual(name.utf8) else { return true }
            return !fits(part[end...].dropFirst())
        }
        guard kept.count < parts.count else { return target }
        return target[..<mark] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    }

    // MARK: Texts

    /// `text` with `mark` in each place of the token, because a server may repeat what it got.
    package func hidden(in text: String, by mark: String) -> String {
        // A shorter key is no secret, and would hide parts of other words.
        spellings.filter { $0.utf8.count >= Self.shortestHidden }.reduce(text) { text, spelling in
            text.split(separator: spelling, omittingEmptySubsequences: false).joined(separator: mark)
        }
    }

    private static let shortestHidden = 4
}

extension PlacedToken: CustomStringConvertible, CustomReflectable {
    /// Where it goes, without the token.
    package var description: String { "<token of '\(account)' in \(placement.position)>" }

    /// The place, without the token.
    package var customMirror: Mirror { Mirror(self, children: ["placement": placement]) }
}

extension PlacedToken: Equatable {
    /// Whether both are one object. Their tokens are not compared.
    package static func == (one: PlacedToken, other: PlacedToken) -> Bool { one === other }
}
