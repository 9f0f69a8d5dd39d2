/// An HTML page without external resources and scripts, in light or dark colours as the browser prefers.
package enum Page {
    /// The HTML of the page.
    ///
    /// - Parameters:
    ///   - title: the title, unescaped.
    ///   - content: HTML that follows a heading with the title. No line ends between a number and its percent sign.
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
        \(content.replacing(/([0-9]) %/) { "\($0.1)\u{A0}%" })
        </main>
        </body>
        </html>

        """
    }
}
