/// An object that must not outlive the access in which it was created.
protocol AccessBound: AnyObject {
    /// Ends the use of the connection, if it has not ended yet.
    func end()
}
