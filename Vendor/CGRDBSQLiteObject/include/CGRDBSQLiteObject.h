/* Declares nothing: SwiftPM wants a header in each C target. The functions stand in CGRDBSQLite. */
