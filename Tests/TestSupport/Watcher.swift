package import Foundation

/// A program that waits for the end of this process, and then cleans up: a process that is killed or that traps does nothing itself.
package enum Watcher {
    /// Removes `folder` after the end of this process.
    package static func remove(_ folder: URL) { tell("remove \(folder.path(percentEncoded: false))") }

    /// Kills `process` at the end of this process. ``forget(_:)`` must be called once it has ended, because another one may get its number.
    package static func end(_ process: Process) { tell("end \(process.processIdentifier)") }

    package static func forget(_ process: Process) { tell("forget \(process.processIdentifier)") }

    private static func tell(_ line: String) { input.write(Data((line + "\n").utf8)) }

    /// The only end for writing: when this process is gone, the watcher has read all.
    private static let input: FileHandle = {
        var ends: [Int32] = [-1, -1]
        // The kernel writes two numbers.
        guard unsafe pipe(&ends) == 0 else { preconditionFailure("no pipe for the watcher: error \(errno)") }
        // No other child keeps them open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let watcher = Process()
        watcher.executableURL = URL(filePath: "/bin/sh")
        watcher.arguments = ["-c", script]
        watcher.standardInput = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        watcher.standardOutput = FileHandle.nullDevice
        watcher.standardError = FileHandle.nullDevice
        do { try watcher.run() } catch { preconditionFailure("no watcher: \(error)") }
        return FileHandle(fileDescriptor: ends[1], closeOnDealloc: false)
    }()

    /// A test may have mounted something in the folder. Servers that end with this process may write for a moment longer, so the folder gets
    /// ten attempts, one a second.
    private static let script = """
        trap '' HUP INT TERM
        folder= processes=
        while read -r word value; do
            case $word in
            remove) folder=$value ;;
            end) processes="$processes $value" ;;
            forget)
                rest=
                for each in $processes; do [ "$each" = "$value" ] || rest="$rest $each"; done
                processes=$rest
                ;;
            esac
        done
        [ -z "$processes" ] || kill -KILL $processes
        [ -n "$folder" ] || exit 0
        awk -v below="$folder/" 'index($2, below) == 1 { print $2 }' /proc/mounts 2>/dev/null |
            while read -r place; do umount -l "$place"; done
        for attempt in 1 2 3 4 5 6 7 8 9 10; do
            rm -rf -- "$folder"
            [ -e "$folder" ] || break
            sleep 1
        done
        """
}
