internal import CGSSAPI

/// What a function of GSS-API returned (RFC 2744, 3.9).
struct Status {
    var major: UInt32
    var minor: UInt32

    /// Neither a routine error nor a calling error.
    var isSuccess: Bool { major & 0xFFFF_0000 == 0 }
    /// The peer's next message is needed.
    var continues: Bool { major & 1 != 0 }
    /// The number of the routine error, 0 if there is none.
    var routine: UInt32 { major >> 16 & 0xFF }
}

extension KerberosLibrary {
    /// The error of a status, with the library's own text.
    func error(_ operation: KerberosError.Operation, _ status: Status, about subject: String?) -> KerberosError {
        // For these routine errors the minor status may be a number that means success.
        let majorSpeaks = status.minor == 0 || [4, 6, 11, 12].contains(status.routine)
        let own = majorSpeaks ? "" : text(status.minor, ofMechanism: true)
        return KerberosError(
            operation,
            Self.reason(of: status, operation),
            about: subject,
            major: status.major,
            minor: status.minor,
            detail: own.isEmpty ? text(status.major, ofMechanism: false) : own
        )
    }

    /// The first line of the library's text for a status.
    private func text(_ status: UInt32, ofMechanism: Bool) -> String {
        var (minor, more) = (UInt32(0), UInt32(0))
        var buffer = LibraryBuffer(self)
        let kind: CInt = ofMechanism ? 2 : 1
        _ = unsafe buffer.fill { buffer in
            unsafe functions.display_status(&minor, status, kind, sallyport_gss_kerberos(), &more, buffer)
        }
        let bytes = buffer.bytes(limit: KerberosText.shownCharacters * 4)
        return String(decoding: bytes.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    }

    /// What a status means. The numbers of Kerberos say more than those of GSS-API and are therefore read first.
    static func reason(of status: Status, _ operation: KerberosError.Operation) -> KerberosError.Reason {
        if status.routine == 4 { return .bindingsMismatch }
        if let known = KerberosNumber.reason(of: status.minor, operation) { return known }
        return switch status.routine {
        case 1, 16: .unsupported
        case 2, 3: .badName
        case 6: .badIntegrity
        case 7, 10: operation == .accept ? .keytab : .noTicket
        case 9: .malformedToken
        case 11, 12: .ticketExpired
        case 15: .refusedByPolicy
        default: status.major & 0x16 != 0 ? .replayed : .other
        }
    }
}
