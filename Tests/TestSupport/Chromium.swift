package import Foundation

/// Debian's Chromium without a window, which loads a page and says what came of it.
package enum Chromium {
    package enum Theme: Int, CaseIterable {
        case dark = 0
        case light = 1
    }

    /// How a page is looked at: each width and each theme, in `.ci/slow thorough` each width in each theme.
    package static let views: [(width: Int, theme: Theme)] = Array(
        [(360, .light), (1100, .dark), (360, .dark), (1100, .light)].prefix(Effort.rounds(2, thorough: 4))
    )

    package struct Result {
        package let document: String
        package let log: String
        /// What the page asked for, itself not among it.
        package let requests: [String]
        package let screenshot: Data
        /// How wide the page is, sideways scrolling included.
        package let scrollWidth: Int?
        /// Texts of charts that leave their chart or overlap, names of rows that a line of the grid crosses, numbers that end a line before
        /// their percent sign, and tables that are wider than their place; as they are drawn.
        package let flaws: [String]
    }

    package struct Failure: Error {
        let text: String
    }

    private static let path = "/usr/bin/chromium"
    package static let isInstalled = FileManager.default.isExecutableFile(atPath: path)
    package static let isMissing = "missing: Debian package chromium"

    /// Loads `page`, in a folder that is gone afterwards. One start of the browser says everything, because a start takes most of the time.
    package static func load(_ page: String, width: Int, theme: Theme) throws -> Result {
        let folder = TemporaryFolder.place("chromium")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(page.utf8).write(to: folder.appending(path: "page.html"))
        // Chromium's window is never narrower than 500; a frame is.
        let frame = folder.appending(path: "frame.html")
        let style = "border:0;width:\(width)px;height:3000px"
        try Data(
            """
            <!doctype html><script>\(measuring)</script>
            <body style='margin:0'><iframe src='page.html' style='\(style)' onload='measure(this)'></iframe>
            """.utf8
        ).write(to: frame)
        let (netLog, picture) = (folder.appending(path: "net.json"), folder.appending(path: "page.png"))
        let (output, log) = try run(
            folder,
            theme,
            [
                "--window-size=\(max(500, width)),3000", "--hide-scrollbars", "--allow-file-access-from-files",
                "--dump-dom", "--screenshot=\(picture.path)", "--log-net-log=\(netLog.path)", frame.absoluteString,
            ]
        )
        let net = String(decoding: try Data(contentsOf: netLog), as: UTF8.self)
        guard let encoded = output.firstMatch(of: /data-document="([^"]*)"/)?.1,
            let document = String(encoded).removingPercentEncoding
        else { throw Failure(text: "chromium did not load the page") }
        return Result(
            document: document,
            log: log,
            // What the browser asks for itself, such as the time, has "not an origin" there.
            requests: net.matches(of: /"initiator":"(?:file|null|http)[^\n]{0,800}?"url":"([^"]+)"/).map {
                String($0.1)
            },
            screenshot: try Data(contentsOf: picture),
            scrollWidth: output.firstMatch(of: /data-w="([0-9]+)"/).flatMap { Int($0.1) },
            flaws: output.matches(of: /data-flaw[0-9]+="([^"]*)"/).map { String($0.1) }
        )
    }

    /// A script of the frame; boxes that touch by less than a pixel do not overlap.
    private static let measuring = """
        function measure(frame) {
          const page = frame.contentDocument, flaws = [], marks = document.body.dataset;
          marks.w = page.scrollingElement.scrollWidth;
          marks.document = encodeURIComponent(page.documentElement.outerHTML);
          for (const chart of page.querySelectorAll('svg')) {
            const edge = chart.getBoundingClientRect();
            const texts = [...chart.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
            texts.forEach(([name, box], index) => {
              if (box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 1 || box.bottom > edge.bottom + 1)
                flaws.push('clipped: ' + name);
              for (const [other, next] of texts.slice(index + 1))
                if (box.left < next.right - 1 && next.left < box.right - 1 && box.top < next.bottom - 1 && next.top < box.bottom - 1)
                  flaws.push('overlap: ' + name + ' and ' + other);
            });
          }
          for (const grid of page.querySelectorAll('svg line.grid')) {
            const line = grid.getBoundingClientRect();
            for (const row of grid.ownerSVGElement.querySelectorAll('text.row')) {
              const box = row.getBoundingClientRect();
              if (line.left < box.right && box.left < line.right + 1 && line.top < box.bottom - 1 && box.top < line.bottom - 1)
                flaws.push('crossed: ' + row.textContent);
            }
          }
          const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT), range = page.createRange();
          while (walker.nextNode())
            for (const found of walker.currentNode.data.matchAll(/[0-9]\\s%/g)) {
              range.setStart(walker.currentNode, found.index);
              range.setEnd(walker.currentNode, found.index + found[0].length);
              if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) flaws.push('parted: ' + found[0]);
            }
          for (const place of page.querySelectorAll('.scroll'))
            if (place.scrollWidth > place.clientWidth) flaws.push('wide: ' + place.getAttribute('aria-label'));
          flaws.forEach((flaw, index) => marks['flaw' + index] = flaw);
        }
        """

    private static func run(_ folder: URL, _ theme: Theme, _ arguments: [String]) throws -> (
        output: String, log: String
    ) {
        let files = (output: folder.appending(path: "out"), log: folder.appending(path: "log"))
        for file in [files.output, files.log] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        process.arguments =
            [
                "60", path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--disable-component-update",
                "--disable-sync",
                "--enable-logging=stderr",
                "--blink-settings=preferredColorScheme=\(theme.rawValue)",
                "--user-data-dir=\(folder.appending(path: "profile").path)",
            ] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files.output)
        process.standardError = try FileHandle(forWritingTo: files.log)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(text: "chromium ended with \(process.terminationStatus)")
        }
        return (
            try String(contentsOf: files.output, encoding: .utf8), try String(contentsOf: files.log, encoding: .utf8)
        )
    }
}
