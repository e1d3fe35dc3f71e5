// One of the processes that scripts/check-replication fairness starts: writes in a loop, and prints how long each write
// has waited for its lock, in microseconds.

import Foundation
import GRDB

let arguments = CommandLine.arguments
guard arguments.count == 5, let duration = Double(arguments[2]), let hold = UInt32(arguments[3]),
    let pause = UInt32(arguments[4])
else {
    print("usage: fairness FILE SECONDS HOLD-MICROSECONDS PAUSE-MICROSECONDS")
    exit(2)
}

var configuration = Configuration()
configuration.busyMode = .timeout(600)
let pool = try DatabasePool(path: arguments[1], configuration: configuration)
try pool.write { db in
    try db.execute(sql: "CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, a)")
}

func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

let end = now() + UInt64(duration * 1e9)
var lines = ""
while now() < end {
    let start = now()
    try pool.write { db in
        lines += "\((now() - start) / 1000)\n"
        try db.execute(sql: "INSERT INTO t(a) VALUES (zeroblob(200))")
        usleep(hold)
    }
    usleep(pause)
}
print(lines, terminator: "")
