internal import Foundation
package import Testing

/// PyPI's package `publicsuffixlist`: the published list, and an independent program that reads it.
package enum PublicSuffixPackage {
    package static let isMissing: Comment = "missing: pip install publicsuffixlist"

    package static let isInstalled = (try? run("import publicsuffixlist")) != nil

    private struct Failure: Error { var status: Int32 }

    /// The list as it was published.
    package static func list() throws -> [UInt8] {
        Array(
            try run(
                """
                import importlib.resources, sys
                sys.stdout.buffer.write(importlib.resources.files("publicsuffixlist").joinpath("public_suffix_list.dat").read_bytes())
                """
            )
        )
    }

    /// One name for each rule of the list that the package itself calls a public suffix, as A-labels: for `*.host` a
    /// name one label below it.
    package static func suffixes() throws -> [String] {
        let output = try run(
            """
            import publicsuffixlist
            suffixes = publicsuffixlist.PublicSuffixList()
            path = publicsuffixlist.PSLFILE
            for line in open(path, encoding="utf-8"):
                rule = line.split()[0] if line.split() else "//"
                if rule.startswith(("//", "!")): continue
                name = rule.replace("*", "any")
                name = ".".join(x if x.isascii() else "xn--" + x.encode("punycode").decode() for x in name.split("."))
                if suffixes.is_public(name): print(name)
            """
        )
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The same without `home.arpa`, which the list has and RFC 8375 reserves for homes, so that no registry gives away names below it.
    package static func registries() throws -> [String] { try suffixes().filter { $0 != "home.arpa" } }

    private static func run(_ script: String) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return data
    }
}
