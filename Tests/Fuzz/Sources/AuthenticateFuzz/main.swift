import CFuzzer

@testable import NTLM

/// One input: any bytes as an AUTHENTICATE, with the response in it.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
    guard let message = try? AuthenticateMessage(parsing: bytes) else { return 0 }
    if let offset = message.messageIntegrityCodeOffset {
        precondition(offset >= 64 && offset + 16 <= count, "an integrity code outside the message")
    }
    if let response = try? NTLMv2Response(parsing: message.ntChallengeResponse.span) {
        precondition(response.bytes == message.ntChallengeResponse && response.ntProofStr.count == 16)
        precondition(response.targetInfo.pairs.count <= count / 4, "more attributes than bytes")
    }
    _ = (message.userName, message.domainName, message.workstation)
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
