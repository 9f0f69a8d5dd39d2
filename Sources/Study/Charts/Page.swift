/// A page of HTML that fetches nothing and runs nothing, light or dark as its reader has it.
package enum Page {
    /// The whole page.
    ///
    /// - Parameters:
    ///   - title: its name, not escaped yet.
    ///   - content: HTML, below a heading with the title.
    package static func document(title: String, content: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>\(SVG.escaped(title))</title>
        <style>
        \(PageStyle.text)</style>
        </head>
        <body>
        <main>
        <h1>\(SVG.escaped(title))</h1>
        \(content)
        </main>
        </body>
        </html>

        """
    }
}
