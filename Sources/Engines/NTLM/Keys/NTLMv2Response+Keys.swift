package import InsecureDigests

extension NTLMv2Response {
    /// Computes `SessionBaseKey` (MS-NLMP 3.3.2): the HMAC-MD5 of `NTProofStr` under the response key.
    package static func sessionBaseKey(proof: Digest16, responseKey: borrowing NTOWFv2) -> Digest16 {
        proof.withBytes { HMACMD5.authenticate($0, key: responseKey.key) }
    }

    /// Computes the first 16 bytes of an `LMv2_RESPONSE` (MS-NLMP 2.2.2.4): the HMAC-MD5 of both challenges. The last
    /// 8 bytes of the field are the client's challenge.
    package static func lmv2(responseKey: borrowing NTOWFv2, serverChallenge: UInt64, clientChallenge: UInt64)
        -> Digest16
    {
        Digest16(low: serverChallenge, high: clientChallenge).withBytes {
            HMACMD5.authenticate($0, key: responseKey.key)
        }
    }
}
