internal import InsecureDigests
internal import NTLM
internal import Secrets
internal import WireFormat

/// The JSON form of an answer: the message, its parts and the session keys.
enum NTLMResponseJSON {
    /// One object on one line; it always has the same names.
    static func text(_ authenticate: [UInt8], keys: SessionKeys) throws(MessageError) -> String {
        let message = try AuthenticateMessage(parsing: authenticate.span)
        let response = try NTLMv2Response(parsing: message.ntChallengeResponse.span)
        func hexadecimal(_ bytes: [UInt8]) -> JSONValue { .string(Hexadecimal.encode(bytes.span)) }
        // MsvAvFlags in the response tells whether the field is a code; the message may have room without a code.
        let isCode = try response.targetInfo.flags().contains(.messageIntegrityCode)
        return JSONValue.object([
            ("authenticate", .string(Base64.encode(authenticate.span))),
            ("nt_proof_str", hexadecimal(response.ntProofStr)),
            ("nt_challenge_response", hexadecimal(message.ntChallengeResponse)),
            ("lm_challenge_response", hexadecimal(message.lmChallengeResponse)),
            ("session_base_key", .string(keys.sessionBaseKey.withBytes { Hexadecimal.encode($0) })),
            ("exported_session_key", .string(keys.exportedSessionKey.withBytes { Hexadecimal.encode($0) })),
            ("mic", isCode ? message.messageIntegrityCode.map(hexadecimal) ?? .null : .null),
        ]).text
    }
}
