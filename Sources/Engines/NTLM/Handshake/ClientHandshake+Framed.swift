internal import InsecureDigests
package import WireFormat

/// An AUTHENTICATE that can be written into the frame of another protocol.
package struct FramedAnswer: ~Copyable {
    fileprivate var answer: ClientHandshake.Answer

    /// Bytes in the AUTHENTICATE.
    package var byteCount: Int { answer.message.byteCount }
    /// Whether signatures were agreed on (``ClientHandshake/firstSignatures()``).
    package var agreesOnSignatures: Bool { answer.message.flags.agreesOnSignatures }
}

/// The sizes of what is around a framed message.
package struct FrameSizes {
    /// Bytes before the message; at most 48, the size of the smallest CHALLENGE.
    package let head: Int
    /// Bytes behind the message; 0 unless signatures were agreed on.
    package let tail: Int

    package init(head: Int, tail: Int) {
        precondition((0...ChallengeLayout.fixedSize).contains(head) && tail >= 0)
        (self.head, self.tail) = (head, tail)
    }
}

extension ClientHandshake {
    /// Checks the server's CHALLENGE as ``authenticate(challenge:now:nonces:)`` does, and computes the size of the answer. The
    /// handshake takes no other CHALLENGE afterwards.
    package mutating func prepareFramed(challenge: Span<UInt8>, now: FileTime) throws(HandshakeError) -> FramedAnswer {
        FramedAnswer(answer: try prepare(challenge: challenge, now: now))
    }

    /// Writes `prefix`, and in base64 the head of a frame, the AUTHENTICATE and the tail of the frame.
    ///
    /// The head is written last, in place of the end of the messages that the integrity code covers.
    ///
    /// - Parameters:
    ///   - framed: the prepared answer to `challenge`.
    ///   - signed: a message that is signed with the keys of this answer.
    ///   - nonces: `nil` for fresh ones.
    ///   - head: writes `sizes.head` bytes.
    ///   - tail: writes `sizes.tail` bytes; it gets the signature, and is called if signatures were agreed on.
    /// - Returns: the text, and what checks the server's signature, in place of ``sessionSecurity()``.
    /// - Complexity: O(*n*) in the size of the CHALLENGE; one allocation, for the text.
    package mutating func authenticateBase64(
        _ framed: consuming FramedAnswer,
        challenge: Span<UInt8>,
        signing signed: Span<UInt8>,
        nonces: ClientNonces?,
        prefix: StaticString,
        sizes: FrameSizes,
        head: (inout ByteWriter) -> Void,
        tail: (inout ByteWriter, _ signature: Span<UInt8>) -> Void
    ) -> (text: String, signatures: FirstSignatures?) {
        framed.answer.room = sizes.head
        let start = framed.answer.leading - sizes.head
        let count = sizes.head + framed.byteCount + sizes.tail
        var signatures: FirstSignatures?
        let text = ByteWriter.base64(prefix: prefix, leading: start, count: count) { writer in
            complete(framed.answer, challenge, nonces, into: &writer)
            confirm(framed.answer)
            signatures = firstSignatures()
            signatures?.ownSignature(of: signed)?.withBytes { tail(&writer, $0) }
            writer.overwrite(at: start, count: sizes.head, head)
        }
        return (text, signatures)
    }
}
