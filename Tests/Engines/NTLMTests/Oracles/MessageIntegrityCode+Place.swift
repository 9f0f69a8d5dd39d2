import InsecureDigests
import NTLM

extension MessageIntegrityCode {
    /// Computes the code of a message at the place where the message itself has room for it; `nil` without room.
    static func compute(
        key: Span<UInt8>,
        negotiate: Span<UInt8>,
        challenge: Span<UInt8>,
        authenticate: Span<UInt8>
    ) throws(MessageError) -> Digest16? {
        guard let offset = try AuthenticateMessage(parsing: authenticate).messageIntegrityCodeOffset else { return nil }
        return compute(
            key: key,
            negotiate: negotiate,
            challenge: challenge,
            authenticate: authenticate,
            offset: offset
        )
    }
}
