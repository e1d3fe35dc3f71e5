// UIKit, for scripts/check-apple-code: the library uses none of its declarations, only the names of its
// notifications.
