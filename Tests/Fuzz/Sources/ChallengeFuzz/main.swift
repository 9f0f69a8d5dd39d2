import CFuzzer

@testable import NTLM

/// One input: any bytes as a CHALLENGE.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
    guard let message = try? ChallengeMessage(parsing: bytes) else { return 0 }
    // Attributes cost four bytes each at least: the work is bounded by what came in.
    precondition(message.targetInfo.map { $0.pairs.count <= count / 4 } ?? true, "more attributes than bytes")
    _ = message.targetName
    _ = try? message.targetInfo?.timestamp()
    _ = try? message.targetInfo?.flags()
    // Fields may overlap when they are read, so that their sum may be too long to be written.
    guard let written = try? message.encoded() else { return 0 }
    guard let again = try? ChallengeMessage(parsing: written.span) else {
        preconditionFailure("what was written cannot be read")
    }
    precondition(again.targetInfo == message.targetInfo && again.targetNameBytes == message.targetNameBytes)
    precondition(again.serverChallenge == message.serverChallenge && again.version == message.version)
    precondition((try? again.encoded()) == written, "the same message, written again, is another one")
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
