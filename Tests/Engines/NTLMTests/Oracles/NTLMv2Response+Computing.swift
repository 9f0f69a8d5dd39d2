import InsecureDigests
import NTLM
import WireFormat

extension NTLMv2Response {
    /// Computes a response as MS-NLMP 3.3.2 (`ComputeResponse`) says: temp, then the proof over challenge and temp.
    ///
    /// - Parameter responseKey: `NTOWFv2`.
    init(
        responseKey: Digest16,
        serverChallenge: UInt64,
        clientChallenge: UInt64,
        timestamp: FileTime,
        targetInfo: TargetInfo
    ) throws(MessageError) {
        var temp: [UInt8] = [1, 1, 0, 0, 0, 0, 0, 0]
        temp.append(littleEndian: timestamp.rawValue)
        temp.append(littleEndian: clientChallenge)
        temp += [0, 0, 0, 0]
        try targetInfo.append(to: &temp)
        temp += [0, 0, 0, 0]
        var covered: [UInt8] = []
        covered.append(littleEndian: serverChallenge)
        covered += temp
        var proof = responseKey.withBytes { HMACMD5(key: $0) }
        proof.update(covered.span)
        let response = proof.finalize().bytes + temp
        try self.init(parsing: response.span)
    }
}
