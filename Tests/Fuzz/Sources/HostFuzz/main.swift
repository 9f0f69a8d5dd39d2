import CFuzzer

@testable import Hostnames

/// One input: any bytes as a host, as a URL and as the rest of one.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    host(input)
    url(input)
    url(Array("https://".utf8) + input)
    return 0
}

/// What is a host has one text, which is the same host.
func host(_ bytes: [UInt8]) {
    let span = bytes.span
    guard let host = try? Hostname(parsing: span, in: 0..<bytes.count) else { return }
    precondition((try? Hostname(parsing: host.description)) == host, "\(host) is not itself")
}

/// The plain parts of a URL are those that are found one byte after another.
func url(_ bytes: [UInt8]) {
    let span = bytes.span
    let location = try? URLLocation(parsing: span)
    guard let plain = bytes.withUnsafeBufferPointer({ PlainURL($0) }) else { return }
    guard let location else { preconditionFailure("plain, but no URL") }
    let host = String(decoding: bytes[plain.host], as: UTF8.self).lowercased()
    let path = String(decoding: bytes[plain.path], as: UTF8.self)
    precondition(location.origin.scheme == plain.scheme && location.origin.port == plain.port)
    precondition(location.origin.host.form == .name(Array(host.utf8)), "another host")
    precondition(location.path == (path.isEmpty ? "/" : path), "another path")
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
