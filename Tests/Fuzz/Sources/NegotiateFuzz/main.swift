import CFuzzer

@testable import NTLM

/// One input: any bytes as a NEGOTIATE.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
    guard let message = try? NegotiateMessage(parsing: bytes) else { return 0 }
    let input = bytes.withUnsafeBufferPointer { [UInt8]($0) }
    precondition((try? message.encoded()) == input, "a message that was only read is written otherwise")
    // A changed one is laid out anew. Fields may overlap when they are read, so that their sum may be too long.
    var changed = message
    changed.flags.formSymmetricDifference(.oem)
    guard let written = try? changed.encoded() else { return 0 }
    guard let again = try? NegotiateMessage(parsing: written.span) else {
        preconditionFailure("what was written cannot be read")
    }
    precondition(again.domainName == message.domainName && again.workstation == message.workstation)
    precondition(again.version == message.version)
    precondition((try? again.encoded()) == written, "the same message, written again, is another one")
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
