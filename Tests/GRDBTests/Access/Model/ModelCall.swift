/// One call of a sequence. Slots and ids are numbers, so that a call has a meaning wherever it stands:
/// a sequence stays one if some of its calls are left out.
enum ModelCall {
    enum Scope: CaseIterable {
        case write, writeWithoutTransaction, barrier, reentrantWrite, taskWrite, batchedWrite
        case read, unsafeRead, reentrantRead, taskRead, concurrentRead
        case snapshot, snapshotPool
        case deferred, immediate, exclusive, savepoint, readOnly
    }

    enum Ending: CaseIterable { case normal, rollback, error, cancellation }

    case begin(Scope, slot: Int)
    case end(Ending)

    case insert(id: Int, a: Int, u: Int?, ModelPolicy)
    case add(Int, from: Int, ModelPolicy)
    case delete(every: Int, remainder: Int)
    case store(id: Int, count: Int, byte: Int)
    case createTable(Int), dropTable(Int)
    case fetch, fetchItem(id: Int), badSQL

    case beginTransaction(kind: Int), commit, rollback
    case openSavepoint(Int), release(Int), rollbackTo(Int)

    case makeStatement(slot: Int, kind: Int), runStatement(slot: Int, value: Int), dropStatement(
        slot: Int)
    case openCursor(slot: Int, kind: Int), nextRow(slot: Int), dropCursor(slot: Int)
    case openBlob(slot: Int, id: Int, isWritable: Bool), readBlob(slot: Int)
    case writeBlob(slot: Int, offset: Int, byte: Int), moveBlob(slot: Int, id: Int), dropBlob(
        slot: Int)

    case takeSnapshot(slot: Int, isPool: Bool), closeSnapshot(slot: Int, isPool: Bool)
    case beginSession(slot: Int), changeset(slot: Int)
    case serialize, backup, restore
    case observe(slot: Int), stopObserving(slot: Int), checkObserver(slot: Int), veto
    case interrupt, close, reopen, vacuum, releaseMemory

    static func random(_ random: inout ModelRandom) -> ModelCall {
        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
        func flag() -> Bool { Bool.random(using: &random) }
        let policy =
            number(0..<2) == 0 ? .abort : ModelPolicy.allCases.randomElement(using: &random)!
        switch number(0..<100) {
        case 0..<14:
            return .begin(Scope.allCases.randomElement(using: &random)!, slot: number(0..<2))
        case 14..<18: return .begin(flag() ? .write : .writeWithoutTransaction, slot: 0)
        case 18..<27:
            return .end(
                number(0..<3) > 0 ? .normal : Ending.allCases.randomElement(using: &random)!)
        case 27..<39:
            return .insert(
                id: number(1..<9), a: number(0..<8) == 0 ? 100 : number(0..<95),
                u: flag() ? nil : number(0..<6), policy)
        case 39..<44: return .add(number(1..<12), from: number(0..<8), policy)
        case 44..<47: return .delete(every: number(1..<4), remainder: number(0..<3))
        case 47..<49: return .store(id: number(1..<4), count: number(1..<9), byte: number(0..<256))
        case 49: return flag() ? .createTable(number(0..<2)) : .dropTable(number(0..<2))
        case 50..<54: return .fetch
        case 54: return .fetchItem(id: number(1..<9))
        case 55: return .badSQL
        case 56..<58: return .beginTransaction(kind: number(0..<3))
        case 58: return .commit
        case 59: return .rollback
        case 60..<62: return .openSavepoint(number(0..<2))
        case 62: return .release(number(0..<2))
        case 63: return .rollbackTo(number(0..<2))
        case 64..<66: return .makeStatement(slot: number(0..<2), kind: number(0..<3))
        case 66..<69: return .runStatement(slot: number(0..<2), value: number(1..<9))
        case 69: return .dropStatement(slot: number(0..<2))
        case 70..<73: return .openCursor(slot: number(0..<2), kind: number(0..<2))
        case 73..<79: return .nextRow(slot: number(0..<2))
        case 79: return .dropCursor(slot: number(0..<2))
        case 80: return .openBlob(slot: 0, id: number(1..<4), isWritable: flag())
        case 81: return flag() ? .readBlob(slot: 0) : .moveBlob(slot: 0, id: number(1..<4))
        case 82: return .writeBlob(slot: 0, offset: number(0..<9), byte: number(0..<256))
        case 83: return .dropBlob(slot: 0)
        case 84..<86: return .takeSnapshot(slot: number(0..<2), isPool: flag())
        case 86: return .closeSnapshot(slot: number(0..<2), isPool: flag())
        case 87: return .beginSession(slot: 0)
        case 88: return .changeset(slot: 0)
        case 89: return .serialize
        case 90: return flag() ? .backup : .restore
        case 91..<93: return .observe(slot: number(0..<2))
        case 93: return .stopObserving(slot: number(0..<2))
        case 94: return .checkObserver(slot: number(0..<2))
        case 95: return .veto
        case 96: return .interrupt
        case 97: return number(0..<3) == 0 ? .close : .reopen
        case 98: return .vacuum
        default: return .releaseMemory
        }
    }
}
