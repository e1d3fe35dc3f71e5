import _GRDBSystem

/// A point in time. Reading it is cheaper than creating a `Date`.
struct WallClock {
    private let time: timespec

    /// Reads the current time.
    init() {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        self.time = time
    }

    var date: Date {
        // Precise at the reference date, and so for centuries around it.
        let seconds = Double(Int64(time.tv_sec) - 978_307_200)
        return Date(timeIntervalSinceReferenceDate: seconds + Double(time.tv_nsec) * 1.0e-9)
    }
}
