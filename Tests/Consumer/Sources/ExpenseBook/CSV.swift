import Foundation

extension ExpenseBook {
    /// The expenses as comma-separated values (RFC 4180), with a header.
    ///
    /// - Parameter write: Receives each line.
    public func exportCSV(to write: @escaping @Sendable (String) throws -> Void) async throws {
        try write("date,category,cents,note\r\n")
        try await forEachExpense { info in
            let fields = [
                info.expense.date.formatted(.iso8601), info.category.name,
                "\(info.expense.cents)", info.expense.note,
            ]
            try write(fields.map(quoted).joined(separator: ",") + "\r\n")
        }
    }
}

private func quoted(_ field: String) -> String {
    guard field.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else {
        return field
    }
    return "\"" + field.replacingOccurrences(of: "\"", with: "\"\"") + "\""
}
