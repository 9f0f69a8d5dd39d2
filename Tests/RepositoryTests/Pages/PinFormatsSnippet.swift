import PinFormats

/// The snippet of PinFormats.md.
enum PinFormatsSnippet {
    static func convert(_ text: [UInt8]) throws -> (String, [PinLoss]) {
        let document = try PinFormat.okhttp.read(text)
        let (written, losses) = PinFormat.android.write(document.entries)
        for loss in document.losses + losses { print(loss) }  // one line each
        return (written, document.losses + losses)
    }
}
