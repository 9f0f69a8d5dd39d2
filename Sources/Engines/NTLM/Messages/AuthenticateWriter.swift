internal import WireFormat

/// Writes an AUTHENTICATE in the payload order of MS-NLMP 4.2.4.3; ``AuthenticateMessage`` draws the fixed part.
///
/// ```
/// 0                       64       72       88
/// ┌───────────────────────┬────────┬╌╌╌╌╌╌╌╌┬──────┬────┬───────────┬────────┬──────────┬────────────┐
/// │signature, fields,flags│Version │  MIC   │Domain│User│Workstation│LM (24) │NTLMv2    │Encr. key   │
/// └───────────────────────┴────────┴╌╌╌╌╌╌╌╌┴──────┴────┴───────────┴────────┴──────────┴────────────┘
/// ```
/// The initialiser computes every offset and checks every bound, so that writing cannot fail. The proof, the codes and
/// the encrypted key depend on the other bytes: they are zeros at first, and their offsets are here.
struct AuthenticateWriter {
    private let userCount: Int
    private let domainCount: Int
    private let workstation: String
    private let workstationUnits: Int
    private let info: AnsweredTargetInfo
    private let timestamp: FileTime
    let serverChallenge: UInt64
    /// The flags that the message confirms.
    let flags: NegotiateFlags
    /// Where `NTProofStr` starts.
    let responseOffset: Int
    let responseCount: Int
    /// Bytes in the message.
    let byteCount: Int

    /// Where the message integrity code starts, if ``hasCode``.
    static let codeOffset = AuthenticateLayout.fixedSize + AuthenticateLayout.versionSize

    /// Whether the message holds an integrity code and no LM response (MS-NLMP 3.1.5.1.2): the server sent its clock.
    var hasCode: Bool { info.timestamp != nil }
    /// Whether the client chooses the session key and sends it.
    var exchangesKeys: Bool { flags.exchangesKeys }
    /// Where the encrypted session key starts, if ``exchangesKeys``.
    var encryptedKeyOffset: Int { responseOffset + responseCount }
    /// Where `LmChallengeResponse` starts.
    var lmOffset: Int { responseOffset - AuthenticateLayout.lmSize }

    /// Computes the offsets of all fields.
    ///
    /// - Parameters:
    ///   - userCount: bytes of the user name in UTF-16LE.
    ///   - domainCount: bytes of the domain in UTF-16LE.
    ///   - workstation: the name of this computer, or empty.
    ///   - info: the attributes of the response.
    ///   - challenge: the message that is answered.
    ///   - flags: the flags of the CHALLENGE that the client understands.
    ///   - now: the time of the response if the server did not send its clock.
    /// - Throws: `fieldTooLong` or `tooLong` above the bounds of ``NTLMLimits``.
    init(
        userCount: Int,
        domainCount: Int,
        workstation: String,
        info: AnsweredTargetInfo,
        to challenge: ChallengeLayout,
        flags: NegotiateFlags,
        now: FileTime
    ) throws(MessageError) {
        self.userCount = userCount
        self.domainCount = domainCount
        self.workstation = workstation
        self.info = info
        self.flags = flags.exchangesKeys ? flags : flags.subtracting(.keyExchange)
        timestamp = info.timestamp ?? now
        serverChallenge = challenge.serverChallenge
        workstationUnits = workstation.utf16.count
        guard workstationUnits <= NTLMLimits.nameUnits else {
            throw .fieldTooLong(.workstation, bytes: 2 * workstationUnits, limit: 2 * NTLMLimits.nameUnits)
        }
        responseCount = NTLMv2ResponseLayout.byteCount(attributes: info.byteCount)
        guard responseCount <= NTLMLimits.fieldBytes else {
            throw .fieldTooLong(.ntChallengeResponse, bytes: responseCount, limit: NTLMLimits.fieldBytes)
        }
        let fixed = info.timestamp != nil ? Self.codeOffset + AuthenticateLayout.codeSize : Self.codeOffset
        let names = domainCount + userCount + 2 * workstationUnits
        responseOffset = fixed + names + AuthenticateLayout.lmSize
        let key = flags.exchangesKeys ? AuthenticateLayout.sessionKeySize : 0
        byteCount = responseOffset + responseCount + key
        guard byteCount <= NTLMLimits.messageBytes else {
            throw .tooLong(bytes: byteCount, limit: NTLMLimits.messageBytes)
        }
        assert(brokenInvariant() == nil)
    }

    /// Writes the message.
    ///
    /// - Parameters:
    ///   - user: as many bytes as the initialiser was told.
    ///   - domain: as many bytes as the initialiser was told.
    ///   - challenge: the CHALLENGE that was read.
    func write(
        into writer: inout ByteWriter,
        user: [UInt8],
        domain: [UInt8],
        challenge: Span<UInt8>,
        clientChallenge: UInt64
    ) {
        assert(user.count == userCount && domain.count == domainCount)
        let start = writer.count
        let domainOffset = hasCode ? Self.codeOffset + AuthenticateLayout.codeSize : Self.codeOffset
        let userOffset = domainOffset + domainCount
        let workstationOffset = userOffset + userCount

        MessageHeader.authenticate.write(into: &writer)
        field(count: AuthenticateLayout.lmSize, offset: lmOffset, into: &writer)
        field(count: responseCount, offset: responseOffset, into: &writer)
        field(count: domainCount, offset: domainOffset, into: &writer)
        field(count: userCount, offset: userOffset, into: &writer)
        field(count: 2 * workstationUnits, offset: workstationOffset, into: &writer)
        field(count: byteCount - encryptedKeyOffset, offset: encryptedKeyOffset, into: &writer)
        writer.put(littleEndian: flags.rawValue)
        // MS-NLMP 2.2.1.3: the version field exists without the version flag too, and is zero then. It must be there,
        // because some servers read the integrity code at a fixed offset.
        writer.put(littleEndian: UInt64(0))
        if hasCode { writer.putZeros(AuthenticateLayout.codeSize) }
        assert(writer.count - start == domainOffset, "the payload begins with the domain")

        writer.put(domain.span)
        writer.put(user.span)
        writer.put(utf16: workstation, units: workstationUnits)
        assert(writer.count - start == lmOffset)
        writer.putZeros(AuthenticateLayout.lmSize)
        assert(writer.count - start == responseOffset)
        NTLMv2ResponseLayout.write(
            into: &writer,
            serverChallenge: serverChallenge,
            clientChallenge: clientChallenge,
            timestamp: timestamp
        ) { info.write(from: challenge, into: &$0) }
        assert(writer.count - start == encryptedKeyOffset)
        writer.putZeros(byteCount - encryptedKeyOffset)
        assert(writer.count - start == byteCount)
    }

    private func field(count: Int, offset: Int, into writer: inout ByteWriter) {
        assert(count <= NTLMLimits.fieldBytes && offset + count <= byteCount, "the field lies in the message")
        writer.put(littleEndian: UInt16(truncatingIfNeeded: count))
        writer.put(littleEndian: UInt16(truncatingIfNeeded: count))
        writer.put(littleEndian: UInt32(truncatingIfNeeded: offset))
    }
}
