import GRDB

// What scripts/run-benchmarks --against-grdb adds to the workloads, which are built with groue/GRDB.swift
// there.

extension Statement {
    /// The way that library has to execute a statement with values of known types. The workloads of
    /// observers use it.
    func execute(values id: Int, _ name: String, _ score: Int, _ rating: Double) throws {
        try execute(arguments: [id, name, score, rating])
    }
}
