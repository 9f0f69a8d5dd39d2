internal import WireFormat

/// A value in the field `mechListMIC` that does not sign the list of mechanisms.
///
/// It is read as if the field were absent, because an attacker on the path can remove a signature too: it is an error where a signature is
/// required, and ignored otherwise.
enum ListCode {
    /// What Windows puts in place of a signature if the peers agreed on none, with NTLMSSP_NEGOTIATE_ALWAYS_SIGN.
    static let placeholder: [UInt8] = [1] + [UInt8](repeating: 0, count: 15)

    /// Whether `code` is the ``placeholder``.
    static func isPlaceholder(_ code: Span<UInt8>) -> Bool {
        guard code.count == placeholder.count else { return false }
        return code.indices.allSatisfy { code[$0] == placeholder[$0] }
    }
}

extension ResponseMessage {
    /// The code, if it may be one: `nil` also for an empty one, and for a copy of the token, as old servers send it.
    ///
    /// - Parameter bytes: those from which the response was read.
    func listCode(in bytes: Span<UInt8>) -> Range<Int>? {
        guard let code = integrityCode, !code.isEmpty else { return nil }
        return repeatsToken(in: bytes) ? nil : code
    }

    /// Whether the code is a copy of the token.
    func repeatsToken(in bytes: Span<UInt8>) -> Bool {
        guard let token, let code = integrityCode, token.count == code.count else { return false }
        return zip(token, code).allSatisfy { bytes[$0] == bytes[$1] }
    }
}
