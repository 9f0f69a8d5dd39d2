import CFuzzer
import PinFormats
import SPKIPins

/// What every line of these forms is made of, so that nothing in a host's name becomes a part of their language.
func isLine(_ line: Substring, of format: PinFormat) -> Bool {
    func isHost(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "-_.*:[]".utf8.contains(byte)
                }
            }
    }
    switch format {
    case .okhttp:
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.count == 5 && parts[0] == ".add(" && isHost(parts[1]) && parts[2] == ", " && parts[4] == ")"
            && (try? Pin(parsing: parts[3])) != nil
    case .curl:
        return line.hasPrefix("# ")
            ? isHost(line.dropFirst(2)) : line.hasPrefix("--pinnedpubkey 'sha256//") && line.count { $0 == "'" } == 2
    case .tlsa:
        let words = line.split(separator: " ")
        return words.count == 7 && words[0].hasPrefix("_443._tcp.") && isHost(words[0].dropLast())
            && words[0].hasSuffix(".")
            && words[1] == "IN" && words[2] == "TLSA" && words[4] == "1" && words[5] == "1"
            && (try? Pin(parsing: words[6])) != nil
    case .rfc7469: return line.hasPrefix("# ") ? isHost(line.dropFirst(2)) : line.hasPrefix("Public-Key-Pins")
    default: return true
    }
}

/// One input: a byte for the form, and a text in it.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let choice = input.first else { return 0 }
    let format = PinFormat.allCases[Int(choice) % PinFormat.allCases.count]
    let document: PinDocument
    do throws(PinFormatError) {
        document = try format.read(Array(input.dropFirst()), host: "host.example", now: 1000)
    } catch {
        precondition(!error.description.isEmpty)
        return 0
    }
    precondition(!document.entries.isEmpty, "a document without entries is an error")
    for loss in document.losses { precondition(!loss.description.contains(where: \.isNewline)) }
    for other in PinFormat.allCases {
        let written = other.write(document.entries, now: 1000)
        for loss in written.losses { precondition(!loss.description.contains(where: \.isNewline)) }
        for line in written.text.split(separator: "\n") { precondition(isLine(line, of: other), "\(other): \(line)") }
        do throws(PinFormatError) {
            let again = try other.read(Array(written.text.utf8), host: "host.example", now: 1000)
            let once = other.write(again.entries, now: 1000)
            if other == .json { precondition(once.text == written.text, "our own form changes what it says") }
        } catch .malformed(place: "", problem: _) {
            // Nothing of it had a place in the form.
        } catch .malformed where other == .curl && document.entries.count > 1 {
            // Several entries become several commands, of which one can be read at a time.
        } catch {
            preconditionFailure("\(other) does not read what it has written: \(error)")
        }
    }
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
