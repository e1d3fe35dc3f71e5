// Combine, as far as this package uses it: OpenCombine under that name, with its dispatch queues that
// are schedulers. For scripts/check-apple-code.

@_exported import OpenCombine
@_exported import OpenCombineDispatch
