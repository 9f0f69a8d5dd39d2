import CFuzzer

@testable import NTLM

/// One input: any bytes as a NEGOTIATE.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
    guard let message = try? NegotiateMessage(parsing: bytes) else { return 0 }
    precondition(message.domainName.count + message.workstation.count <= count, "more was read than was there")
    precondition(message.version.map { $0.count == 8 } ?? true, "a version of another size")
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
