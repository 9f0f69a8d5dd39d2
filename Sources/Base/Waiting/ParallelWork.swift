/// The same work for several values at once, with a bound.
package enum ParallelWork {
    /// The results in the order of `inputs`.
    ///
    /// - Parameters:
    ///   - inputs: what to work on.
    ///   - bound: how many run at once; 1 or more.
    ///   - body: the work. Those that have not begun when the task is cancelled are cancelled, too, and run.
    package static func results<Input: Sendable, Output: Sendable>(
        of inputs: [Input],
        atMost bound: Int,
        _ body: @escaping @Sendable (Input) async -> Output
    ) async -> [Output] {
        precondition(bound >= 1, "work without a worker")
        return await withTaskGroup(of: (Int, Output).self) { group in
            var results = [Output?](repeating: nil, count: inputs.count)
            for (index, input) in inputs.enumerated() {
                if index >= bound, let (done, output) = await group.next() { results[done] = output }
                group.addTask { (index, await body(input)) }
            }
            for await (done, output) in group { results[done] = output }
            return results.compactMap { $0 }
        }
    }
}
