internal import InsecureDigests
internal import Secrets
internal import WireFormat

extension MessageIntegrityCode {
    /// Returns whether `authenticate` holds the right code; compares in constant time.
    ///
    /// - Parameters:
    ///   - key: `ExportedSessionKey`, 16 bytes.
    ///   - negotiate: the raw NEGOTIATE.
    ///   - challenge: the raw CHALLENGE.
    ///   - authenticate: the raw AUTHENTICATE.
    /// - Returns: `nil` if the message has no room for a code.
    package static func isValid(
        key: Span<UInt8>,
        negotiate: Span<UInt8>,
        challenge: Span<UInt8>,
        authenticate: Span<UInt8>
    ) throws(MessageError) -> Bool? {
        guard let place = try AuthenticateLayout(of: authenticate).messageIntegrityCode else { return nil }
        assert(place.count == byteCount && place.upperBound <= authenticate.count)
        let computed = compute(
            key: key,
            negotiate: negotiate,
            challenge: challenge,
            authenticate: authenticate,
            offset: place.lowerBound
        )
        let found = authenticate.extracting(place)
        return computed?.withBytes { constantTimeEqual($0, found) }
    }
}
