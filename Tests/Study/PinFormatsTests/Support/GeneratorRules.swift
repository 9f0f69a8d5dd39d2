import Foundation

/// What Chromium's generator refuses, as far as pins go: its rules one by one, in the plainest words, from reading
/// `input_file_parsers.cc` and `transport_security_state_generator.cc`. It shares nothing with the code under test.
struct GeneratorRules {
    /// What is wrong, in the order of finding; empty for two files that are accepted.
    private(set) var problems: [String] = []
    /// The pins of each name, as text.
    private(set) var keys: [String: String] = [:]

    init(list: String, pins: String) {
        readPins(pins)
        readList(list)
    }

    private static func isName(_ text: String) -> Bool { text.wholeMatch(of: /[A-Z][A-Za-z0-9_]*/) != nil }

    private mutating func readPins(_ text: String) {
        if text.contains("\r\n") { problems.append("CR LF") }
        var timestamps = 0
        var lines = text.components(separatedBy: "\n").filter { !$0.hasPrefix("#") }[...]
        while let line = lines.popFirst() {
            if line.isEmpty { continue }
            let value = lines.popFirst() ?? ""
            if line == "PinsListTimestamp" {
                timestamps += 1
                if UInt64(value) == nil { problems.append("timestamp \(value)") }
            } else if !Self.isName(line) {
                problems.append("name \(line)")
            } else if !value.hasPrefix("sha256/") || Data(base64Encoded: String(value.dropFirst(7)))?.count != 32 {
                problems.append("hash \(value)")
            } else if keys.updateValue(value, forKey: line) != nil {
                problems.append("name twice \(line)")
            }
        }
        if timestamps != 1 { problems.append("\(timestamps) timestamps") }
        if Set(keys.values).count != keys.count { problems.append("hash twice") }
    }

    private mutating func readList(_ text: String) {
        let bare = text.components(separatedBy: "\n").filter { !$0.hasPrefix("//") }.joined(separator: "\n")
        guard let root = try? JSONSerialization.jsonObject(with: Data(bare.utf8)) as? [String: Any],
            let sets = root["pinsets"] as? [[String: Any]], let entries = root["entries"] as? [[String: Any]]
        else {
            problems.append("no list")
            return
        }
        var used: Set<String> = []
        for set in sets {
            used.formUnion(set["static_spki_hashes"] as? [String] ?? [])
            used.formUnion(set["bad_static_spki_hashes"] as? [String] ?? [])
        }
        if used != Set(keys.keys) { problems.append("names used: \(used.count), defined: \(keys.count)") }
        let setNames = sets.compactMap { $0["name"] as? String }
        if Set(setNames).count != sets.count { problems.append("names of sets") }
        let hosts = entries.compactMap { $0["name"] as? String }
        if Set(hosts).count != entries.count { problems.append("names of entries") }
        for host in hosts where host.wholeMatch(of: /([a-z0-9_-]+\.)*[a-z0-9][a-z0-9_-]*/) == nil {
            problems.append("host \(host)")
        }
        for entry in entries {
            let other = entry.keys.filter { !["name", "include_subdomains", "pins"].contains($0) }
            if !other.isEmpty { problems.append("fields \(other)") }
            guard let set = entry["pins"] as? String, setNames.contains(set) else {
                problems.append("set of \(entry)")
                continue
            }
        }
    }
}
