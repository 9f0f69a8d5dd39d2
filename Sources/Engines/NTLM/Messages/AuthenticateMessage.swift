internal import WireFormat

/// The client's proof (AUTHENTICATE_MESSAGE, MS-NLMP 2.2.1.3).
///
/// ```
/// 0          8    12            20            28         36       44          52          60     64       72    88
/// ┌──────────┬────┬─────────────┬─────────────┬──────────┬────────┬───────────┬───────────┬──────┬╌╌╌╌╌╌╌╌┬╌╌╌╌╌┬───────
/// │NTLMSSP\0 │ 3  │LmChallengeR.│NtChallengeR.│DomainName│UserName│Workstation│Encr.R.S.K.│flags │ Version│ MIC │payload
/// └──────────┴────┴─────────────┴─────────────┴──────────┴────────┴───────────┴───────────┴──────┴╌╌╌╌╌╌╌╌┴╌╌╌╌╌┴───────
/// ```
/// Version and MIC are both optional on the wire, and no flag tells reliably: some clients set the version flag and
/// leave the field out. What is certain is where the payload starts, and that says which of the two can be there.
package struct AuthenticateMessage: Equatable, Sendable {
    package var flags: NegotiateFlags
    package var lmChallengeResponse: [UInt8] = []
    package var ntChallengeResponse: [UInt8] = []
    /// As sent: UTF-16LE or an OEM code page, as the flags say.
    package var domainNameBytes: [UInt8] = []
    package var userNameBytes: [UInt8] = []
    package var workstationBytes: [UInt8] = []
    package var encryptedRandomSessionKey: [UInt8] = []
    /// Eight bytes; zero when a client does not tell its version, `nil` when it leaves the field out.
    package var version: [UInt8]?
    /// Sixteen bytes, or `nil` when there is no room for them. Whether they mean anything, `MsvAvFlags` in the
    /// response says.
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
    }

    /// Where the message integrity code stands, when the message has room for it.
    package var messageIntegrityCodeOffset: Int? {
        messageIntegrityCode == nil ? nil : AuthenticateLayout.fixedSize + (version?.count ?? 0)
    }

    /// The name of the user; `nil` when it is not in UTF-16.
    package var userName: String? { flags.contains(.unicode) ? UTF16Text.text(userNameBytes.span) : nil }
    /// The name of the user's domain; `nil` when it is not in UTF-16.
    package var domainName: String? { flags.contains(.unicode) ? UTF16Text.text(domainNameBytes.span) : nil }
    /// The name of the client's computer; `nil` when it is not in UTF-16.
    package var workstation: String? { flags.contains(.unicode) ? UTF16Text.text(workstationBytes.span) : nil }
}
