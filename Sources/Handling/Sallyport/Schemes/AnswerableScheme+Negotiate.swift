internal import Credentials
internal import HTTPAuthentication

extension AnswerableScheme {
    /// RFC 4559 with the messages of NTLM, which servers of Microsoft and gss-ntlmssp take in place of SPNEGO's frame.
    static let negotiate = AnswerableScheme(
        name: .negotiate,
        isConnectionBound: true,
        showsSecret: false,
        strength: 2,
        bindsChannel: true,
        canUse: AnswerableScheme.ntlm.canUse,
        exchange: { $0.ntlm(as: .negotiate) }
    )
}
