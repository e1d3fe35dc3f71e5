/// The help page.
enum Usage {
    static let text = """
        TextSearch: a full-text index of folders of text files.

        USAGE
          TextSearch index FOLDER… [--synonyms FILE] [--verbose] [--database FILE]
          TextSearch search QUERY [--limit N] [--raw] [--database FILE]
          TextSearch watch [QUERY] [--limit N] [--raw] [--database FILE]
          TextSearch stats [--database FILE]
          TextSearch demo [--database FILE]
          TextSearch help

        The default database is TextSearch/index.sqlite in the cache folder of the user.

        index
          Indexes the text files of folders and of the folders inside, but for hidden folders
          (those whose name starts with a dot). Symbolic links are not followed.

          Indexing again is incremental: a file whose size and modification date are the same is
          not read again, files that are gone leave the index. The content itself is not compared:
          an edit that keeps both size and date is not noticed, a new date alone is a change.

          Binary files (those with a NUL byte, or with many control characters) are counted and
          skipped. Files that can't be read, are no UTF-8 text, or are larger than 256 MB are
          listed on standard error, and the exit status is then 1; the other files are indexed all
          the same. What the index has of a file or folder that can't be read is kept.

          Ctrl-C ends after the current file: every file is indexed as a whole, or not at all. A
          second Ctrl-C drops the files of the current transaction, a third does not wait for it.

          --synonyms FILE  One group of synonyms a line, separated by commas: `delete, erase`.
                           Lines that start with # are comments. They replace those of the index,
                           take effect at once, and need no indexing again.
          --verbose        Lists all changes and all skipped files. Without it, changes are listed
                           when there are 20 or less.

        search
          Finds the files that contain all words. Case and accents make no difference, words are
          found inside of camelCase and snake_case names, file names weigh more than contents.

          word        This word, or a synonym.
          "two words" One after the other.
          word*       Words that start so.
          -word       Files without this word.

          Options start with two dashes; what follows -- is no option.

          --limit N   Prints N results at most. The default is 10.
          --raw       QUERY is in the syntax of FTS5, with the columns title and body:
                      https://www.sqlite.org/fts5.html#full_text_query_syntax

        watch
          Prints what changes in the index, or in the results of QUERY, as another process indexes,
          until Ctrl-C.

        stats
          Prints the tables, their sizes, the version of SQLite and its compile options.

        demo
          Indexes the checkout of this package, and runs three searches.

        EXIT STATUS
          0   done: also when nothing was found
          1   failed, or some files could not be indexed
          64  the command line makes no sense
          130 ended by Ctrl-C, while indexing

        """
}
