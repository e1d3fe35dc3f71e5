// The app of one line, whose size and build scripts/check-weight and scripts/run-benchmarks builds measure.

import GRDB

print(try DatabaseQueue().read { try Int.fetchOne($0, sql: "SELECT 1")! })
