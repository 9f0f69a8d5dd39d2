import CFuzzer

@testable import NTLM

/// One input: any bytes as a list of attributes.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
    guard let info = try? TargetInfo(parsing: bytes) else { return 0 }
    precondition(info.byteCount <= count, "more was read than was there")
    var written: [UInt8] = []
    guard (try? info.append(to: &written)) != nil else { preconditionFailure("what was read cannot be written") }
    // Every attribute in its place, up to the end mark: the same bytes, whatever follows the mark.
    precondition(written.count == info.byteCount)
    for index in written.indices { precondition(written[index] == bytes[index], "written otherwise than read") }
    _ = try? info.timestamp()
    _ = try? info.flags()
    for pair in info.pairs { _ = pair.text }
    var changed = info
    changed.set(.flags, to: [2, 0, 0, 0])
    precondition(changed.pairs.filter { $0.id == .flags }.count == 1, "an attribute that was set stands twice")
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
