/// What must not outlive the access that it began in.
protocol AccessBound: AnyObject {
    /// Ends it, unless it has ended.
    func end()
}
