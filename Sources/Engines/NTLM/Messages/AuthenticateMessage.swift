internal import WireFormat

/// A copy of the fields of an AUTHENTICATE (AUTHENTICATE_MESSAGE, MS-NLMP 2.2.1.3), for programs that show or compare
/// messages. Handshakes use ``AuthenticateLayout`` and ``AuthenticateWriter``, which copy nothing.
///
/// ```
/// 0          8    12            20            28         36       44          52          60     64       72    88
/// ┌──────────┬────┬─────────────┬─────────────┬──────────┬────────┬───────────┬───────────┬──────┬╌╌╌╌╌╌╌╌┬╌╌╌╌╌┬───────
/// │NTLMSSP\0 │ 3  │LmChallengeR.│NtChallengeR.│DomainName│UserName│Workstation│Encr.R.S.K.│flags │ Version│ MIC │payload
/// └──────────┴────┴─────────────┴─────────────┴──────────┴────────┴───────────┴───────────┴──────┴╌╌╌╌╌╌╌╌┴╌╌╌╌╌┴───────
/// ```
/// Version and MIC are optional. The version flag does not show which of them a message has, because some clients set
/// the flag and omit the field. The reader uses the offset of the first payload byte instead.
package struct AuthenticateMessage: Equatable, Sendable {
    package var flags: NegotiateFlags
    package var lmChallengeResponse: [UInt8] = []
    package var ntChallengeResponse: [UInt8] = []
    /// As sent: UTF-16LE with the `unicode` flag, an OEM code page without it.
    package var domainNameBytes: [UInt8] = []
    package var userNameBytes: [UInt8] = []
    package var workstationBytes: [UInt8] = []
    package var encryptedRandomSessionKey: [UInt8] = []
    /// Eight bytes; zeros if the client hides its version, `nil` if it omits the field.
    package var version: [UInt8]?
    /// Sixteen bytes, or `nil` if the message has no room for them. They are a code only if `MsvAvFlags` in the
    /// response says so.
    package var messageIntegrityCode: [UInt8]?

    package init(flags: NegotiateFlags) {
        self.flags = flags
    }

    /// Reads a message.
    package init(parsing message: Span<UInt8>) throws(MessageError) {
        let layout = try AuthenticateLayout(of: message)
        func copy(_ range: Range<Int>) -> [UInt8] { [UInt8](copying: message.extracting(range)) }
        flags = layout.flags
        lmChallengeResponse = copy(layout.lmChallengeResponse)
        ntChallengeResponse = copy(layout.ntChallengeResponse)
        domainNameBytes = copy(layout.domainName)
        userNameBytes = copy(layout.userName)
        workstationBytes = copy(layout.workstation)
        encryptedRandomSessionKey = copy(layout.encryptedRandomSessionKey)
        version = layout.version.map(copy)
        messageIntegrityCode = layout.messageIntegrityCode.map(copy)
        assert(messageIntegrityCodeOffset == layout.messageIntegrityCode?.lowerBound)
    }

    /// Offset of the message integrity code, or `nil` if the message has no room for one.
    package var messageIntegrityCodeOffset: Int? {
        messageIntegrityCode == nil ? nil : AuthenticateLayout.fixedSize + (version?.count ?? 0)
    }

    /// The user name; `nil` without the `unicode` flag.
    package var userName: String? { flags.contains(.unicode) ? UTF16Text.text(userNameBytes.span) : nil }
    /// The domain of the user; `nil` without the `unicode` flag.
    package var domainName: String? { flags.contains(.unicode) ? UTF16Text.text(domainNameBytes.span) : nil }
    /// The name of the client's computer; `nil` without the `unicode` flag.
    package var workstation: String? { flags.contains(.unicode) ? UTF16Text.text(workstationBytes.span) : nil }
}
