import Dispatch

#if canImport(CDispatch)
import CDispatch
#endif

/// The label of the dispatch queue that runs this function.
public func currentQueueLabel() -> String {
    #if canImport(CDispatch)
    String(cString: dispatch_queue_get_label(nil))
    #else
    String(cString: __dispatch_queue_get_label(nil))
    #endif
}
