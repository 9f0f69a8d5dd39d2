internal import Foundation
internal import WireFormat

/// The machine that a figure was measured on, in one line.
package enum MachineLine {
    package static var text: String {
        let process = ProcessInfo.processInfo
        let cores = process.activeProcessorCount.counted("core")
        return "\(processor), \(cores), \(process.operatingSystemVersionString)\(build)"
    }

    /// A debug build takes many times as long, so its times say nothing about the library.
    private static var build: String {
        #if DEBUG
            ", debug build"
        #else
            ""
        #endif
    }

    private static var processor: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        let name = line?.split(separator: ":", maxSplits: 1).last?.trimmingCharacters(in: .whitespaces)
        #if arch(x86_64)
            let architecture = "x86-64"
        #elseif arch(arm64)
            let architecture = "arm64"
        #else
            let architecture = "unknown architecture"
        #endif
        return name ?? architecture
    }
}
