/// Runs many handshakes at once, with up to 64 digests in parallel in the SIMD registers of the processor.
///
/// A batch is faster than single handshakes from about eight on, on both sides: for an agent that answers for many
/// connections, or a server with many log-ins at once. Each result equals that of the single handshake, in the order of
/// the input. A failure of one does not change the others.
public enum ResponseBatch {}
