import GRDB

/// Reads the elements of a collection: all of them, or some by their positions.
final class CollectionCursor: RawTableCursor {
    private let table: CollectionTable

    // A scan reads nothing but these, and counts no references.
    @exclusivity(unchecked) private var base: UnsafeRawPointer
    @exclusivity(unchecked) private var stride = 0
    @exclusivity(unchecked) private var position = 0
    @exclusivity(unchecked) private var end = 0
    @exclusivity(unchecked) private var isListed = false
    @exclusivity(unchecked) private var isDescending = false
    private let steps: UnsafeMutablePointer<ElementStep>
    private let firstParameter: Int

    @exclusivity(unchecked) private var snapshot: CollectionSnapshot?
    @exclusivity(unchecked) private var rows: [Int32] = []
    private var arguments: [DatabaseValue] = []

    init(_ table: CollectionTable) {
        self.table = table
        firstParameter = table.description.firstParameter
        base = UnsafeRawPointer(bitPattern: 8)!
        // Without columns, there is no address.
        steps = table.steps.baseAddress ?? UnsafeMutablePointer(bitPattern: 8)!
    }

    override func close() { table.cursorDidClose() }

    override var isAtEnd: Bool { position >= end }

    override func next() throws { position += 1 }

    @inline(__always)
    private var row: Int {
        if isListed { return Int(rows[isDescending ? rows.count - 1 - position : position]) }
        return isDescending ? end - 1 - position : position
    }

    override func column(_ index: Int32, _ result: RawFunctionCall) throws {
        var index = Int(index)
        if index >= firstParameter {
            let parameter = index - firstParameter
            if parameter < arguments.count { return try result.setResult(arguments[parameter]) }
            index -= table.description.parameters.count
        }
        let element = base + row * stride
        if steps[index].read(at: element, into: result) { return }
        try result.setResult(table.description.columns[index].reader.value(at: element))
    }

    override func rowID() throws -> Int64 { Int64(row) + 1 }

    override func filter(
        number: Int32, text: UnsafePointer<CChar>?, _ values: RawFunctionArguments
    ) throws {
        let plan = CollectionTable.Plan(rawValue: number)
        var used = 0
        arguments = []
        if !table.description.parameters.isEmpty {
            arguments = Array(repeating: .null, count: table.description.parameters.count)
            for position in text.map({ String(cString: $0) })?.split(separator: " ") ?? [] {
                arguments[Int(position)!] = DatabaseValue(rawValue: values[used])
                used += 1
            }
        }
        // Nothing is left of the former rows if this throws.
        end = 0
        position = 0
        let snapshot = try table.elements(arguments)
        self.snapshot = snapshot
        base = snapshot.base
        stride = snapshot.stride
        isListed = false
        isDescending = plan.contains(.descending)
        rows = []
        var range = 0..<snapshot.count

        if plan.contains(.rowID) {
            range = Self.range(ofRowID: DatabaseValue(rawValue: values[used]), in: range)
        } else if plan.contains(.equal) {
            let index = try index(snapshot, plan.column)
            if let found = try equalRows(
                index, plan.column, values, used, isList: plan.contains(.list))
            {
                rows = found
                isListed = true
                range = 0..<found.count
            }
        } else if plan.contains(.sorted) {
            let index = try index(snapshot, plan.column)
            let sorted = try index.sortedRows(snapshot, column(plan.column))
            var bounds = 0..<sorted.rows.count
            if plan.contains(.lower) {
                let value = values[used]
                if let position = bound(
                    value, index, plan.column, in: sorted,
                    after: plan.contains(.lowerIsExclusive))
                {
                    bounds = min(position, bounds.upperBound)..<bounds.upperBound
                }
                used += 1
            }
            if plan.contains(.upper) {
                let value = values[used]
                // Texts that are compared as numbers precede the bound, wherever they are sorted.
                if !sorted.hasNumericTexts,
                    let position = bound(
                        value, index, plan.column, in: sorted,
                        after: !plan.contains(.upperIsExclusive))
                {
                    bounds = bounds.lowerBound..<max(bounds.lowerBound, position)
                }
                used += 1
            }
            rows = bounds.count == sorted.rows.count ? sorted.rows : Array(sorted.rows[bounds])
            isListed = true
            range = 0..<rows.count
        }

        end = range.upperBound
        position = range.lowerBound
        if plan.contains(.offset) {
            // LIMIT comes first.
            let offset = RawValue.int64(values[values.count - 1])
            if offset > 0 {
                position = Int(min(Int64(end), Int64(position) + min(offset, Int64(end))))
            }
        }
    }

    private func column(_ column: Int) -> CollectionColumn {
        table.description.columns[column]
    }

    private func index(_ snapshot: CollectionSnapshot, _ column: Int) throws -> CollectionIndex {
        try snapshot.index(on: column, self.column(column))
    }

    private func equalRows(
        _ index: CollectionIndex, _ column: Int, _ values: RawFunctionArguments, _ argument: Int,
        isList: Bool
    ) throws -> [Int32]? {
        guard isList else {
            return equalRows(index, column, values[argument])
        }
        var found: Set<Int32> = []
        var isKnown = true
        let code = values.forEachValue(at: argument) { value in
            if isKnown, let rows = equalRows(index, column, value) {
                found.formUnion(rows)
            } else {
                isKnown = false
            }
        }
        if code != RawStatement.ok { throw DatabaseError(RawFailure(code: code)) }
        return isKnown ? found.sorted() : nil
    }

    /// The rows that may equal a value; nil if any row may, since the comparison converts texts.
    private func equalRows(
        _ index: CollectionIndex, _ column: Int, _ value: OpaquePointer
    ) -> [Int32]? {
        if convertsTexts(index, column) { return nil }
        // First the value itself: asking for the numeric type converts a text.
        let dbValue = DatabaseValue(rawValue: value)
        var numericText: DatabaseValue?
        if case .string = dbValue.storage {
            _ = RawValue.numericType(value)
            numericText = DatabaseValue(rawValue: value)
        }
        return index.rows(equalTo: dbValue, numericText: numericText)
    }

    /// Whether SQLite compares texts as numbers: those of a column declared with a type of numbers.
    private func convertsTexts(_ index: CollectionIndex, _ column: Int) -> Bool {
        index.hasTexts && self.column(column).affinity.isNumeric
    }

    /// Where a bound is in the sorted rows; nil if the comparison may convert values, so that rows on
    /// both sides can match.
    private func bound(
        _ value: OpaquePointer, _ index: CollectionIndex,
        _ column: Int, in sorted: CollectionIndex.SortedRows, after: Bool
    ) -> Int? {
        if convertsTexts(index, column) { return nil }
        let dbValue = DatabaseValue(rawValue: value)
        let isTextColumn = self.column(column).affinity == .text
        switch dbValue.storage {
        case .int64, .double:
            if index.hasTexts || isTextColumn { return nil }
        case .string:
            if index.hasNumbers { return nil }
        case .null, .blob:
            return nil
        }
        return sorted.position(of: dbValue, after: after)
    }

    private static func range(ofRowID value: DatabaseValue, in range: Range<Int>) -> Range<Int> {
        let rowID: Int64?
        switch value.storage {
        case .int64(let value): rowID = value
        case .double(let value): rowID = Int64(exactly: value)
        // SQLite converts the text and checks the rows.
        case .string: return range
        case .null, .blob: rowID = nil
        }
        guard let rowID, rowID > 0, rowID <= range.count else { return 0..<0 }
        return Int(rowID) - 1..<Int(rowID)
    }
}
