import NTLM
import WireFormat

// The slow, obvious writers of MS-NLMP 2.2.1: arrays that grow field by field. Handshakes write theirs in place.

/// The fields of a message: an eight-byte descriptor for each, and the contents in the order in which they are added.
private struct Payload {
    private var descriptors: [MessageField: [UInt8]] = [:]
    private(set) var contents: [UInt8] = []
    let start: Int

    init(start: Int) { self.start = start }

    mutating func add(_ field: MessageField, _ bytes: [UInt8]) throws(MessageError) {
        guard let count = UInt16(exactly: bytes.count) else {
            throw .fieldTooLong(field, bytes: bytes.count, limit: 65_535)
        }
        var descriptor: [UInt8] = []
        descriptor.append(littleEndian: count)
        descriptor.append(littleEndian: count)
        descriptor.append(littleEndian: UInt32(start + contents.count))
        descriptors[field] = descriptor
        contents += bytes
    }

    subscript(field: MessageField) -> [UInt8] { descriptors[field] ?? [] }
}

private func header(_ type: UInt8) -> [UInt8] { [UInt8]("NTLMSSP\0".utf8) + [type, 0, 0, 0] }

private func bytes(_ flags: NegotiateFlags) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: flags.rawValue)
    return bytes
}

extension NegotiateMessage {
    /// The message with flags that promise exactly the fields that it has.
    func encoded() throws(MessageError) -> [UInt8] {
        var flags = flags.subtracting([.version, .oemDomainSupplied, .oemWorkstationSupplied])
        if version != nil { flags.insert(.version) }
        if !domainName.isEmpty { flags.insert(.oemDomainSupplied) }
        if !workstation.isEmpty { flags.insert(.oemWorkstationSupplied) }
        var payload = Payload(start: 40)
        try payload.add(.domainName, domainName)
        try payload.add(.workstation, workstation)
        return header(1) + bytes(flags) + payload[.domainName] + payload[.workstation]
            + (version ?? [UInt8](repeating: 0, count: 8)) + payload.contents
    }
}

extension AuthenticateMessage {
    /// The message with its payload in the order of the example in MS-NLMP 4.2.4.3.
    func encoded() throws(MessageError) -> [UInt8] {
        let optional = (version ?? []) + (messageIntegrityCode ?? [])
        var payload = Payload(start: 64 + optional.count)
        try payload.add(.domainName, domainNameBytes)
        try payload.add(.userName, userNameBytes)
        try payload.add(.workstation, workstationBytes)
        try payload.add(.lmChallengeResponse, lmChallengeResponse)
        try payload.add(.ntChallengeResponse, ntChallengeResponse)
        try payload.add(.encryptedRandomSessionKey, encryptedRandomSessionKey)
        let order: [MessageField] = [
            .lmChallengeResponse, .ntChallengeResponse, .domainName, .userName, .workstation,
            .encryptedRandomSessionKey,
        ]
        return header(3) + order.flatMap { payload[$0] } + bytes(flags) + optional + payload.contents
    }
}
