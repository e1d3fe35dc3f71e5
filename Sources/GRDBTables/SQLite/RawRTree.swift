import GRDB
import CGRDBSQLite

/// The argument of an R*Tree geometry: a row, or all rows below a node of the tree. Valid during the
/// call.
struct RawRTreeCell {
    private let info: UnsafeMutablePointer<grdb_sqlite3_rtree_query_info>

    fileprivate init(info: UnsafeMutablePointer<grdb_sqlite3_rtree_query_info>) {
        self.info = info
    }

    var coordinateCount: Int { Int(info.pointee.nCoord) }

    /// The bounds of the dimensions, alternating between lower and upper bounds.
    func coordinate(at index: Int) -> Double { info.pointee.aCoord[index] }

    var parameterCount: Int { Int(info.pointee.nParam) }

    func parameter(at index: Int) -> OpaquePointer { info.pointee.apSqlParam[index]! }

    /// The level in the tree; zero for a row.
    var level: Int { Int(info.pointee.iLevel) }

    var levelCount: Int { Int(info.pointee.mxLevel) }

    /// Undefined unless the level is zero.
    var rowID: Int64 { info.pointee.iRowid }

    var parentScore: Double { info.pointee.rParentScore }

    var isParentWithin: Bool { info.pointee.eParentWithin == CInt(FULLY_WITHIN) }

    enum Match {
        case outside
        case partly
        case within
    }

    func setMatch(_ match: Match) {
        info.pointee.eWithin =
            switch match {
            case .outside: CInt(NOT_WITHIN)
            case .partly: CInt(PARTLY_WITHIN)
            case .within: CInt(FULLY_WITHIN)
            }
    }

    func setScore(_ score: Double) {
        info.pointee.rScore = score
    }

    /// An object that lives as long as the query, created on demand.
    func queryObject(_ make: () -> AnyObject) -> AnyObject {
        if let pointer = info.pointee.pUser {
            return Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
        }
        let object = make()
        info.pointee.pUser = Unmanaged.passRetained(object).toOpaque()
        info.pointee.xDelUser = { Unmanaged<AnyObject>.fromOpaque($0!).release() }
        return object
    }
}

/// An R*Tree geometry. SQLite owns it until a function with the same name replaces it, or the connection
/// is closed.
final class RawRTreeGeometry {
    /// Returns a result code.
    private let function: (RawRTreeCell) -> CInt

    init(_ function: @escaping (RawRTreeCell) -> CInt) {
        self.function = function
    }

    func register(in connection: RawConnection, name: String) throws(RawFailure) {
        guard let handle = connection.handle else { throw RawFailure(code: SQLITE_MISUSE) }
        // SQLite also calls xDestructor when this fails.
        let code = grdb_sqlite3_rtree_query_callback(
            handle, name,
            { info in
                let geometry = Unmanaged<RawRTreeGeometry>.fromOpaque(info!.pointee.pContext)
                return geometry._withUnsafeGuaranteedRef {
                    $0.function(RawRTreeCell(info: info!))
                }
            },
            Unmanaged.passRetained(self).toOpaque(),
            { Unmanaged<RawRTreeGeometry>.fromOpaque($0!).release() })
        if code != SQLITE_OK { throw connection.failure(code) }
    }
}
