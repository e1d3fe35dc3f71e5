/// A request to which other tables can be joined.
public protocol JoinableRequest<RowDecoder>: TypedRequest {
    /// Internal. Implements `including(required:)` and related methods.
    func _joining(_ join: _RelationJoin) -> Self
}

extension JoinableRequest {
    /// Joins an association, and fetches its columns. Rows without an associated row are excluded.
    ///
    /// ```swift
    /// // SELECT "book".*, "author".*
    /// // FROM "book"
    /// // JOIN "author" ON "author"."id" = "book"."authorId"
    /// Book.all().including(required: Book.author)
    /// ```
    public func including<A: Association>(required association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        joining(association, .required)
    }

    /// Joins an association, and fetches its columns. They are NULL for rows without an associated
    /// row.
    ///
    /// ```swift
    /// // SELECT "book".*, "author".*
    /// // FROM "book"
    /// // LEFT JOIN "author" ON "author"."id" = "book"."authorId"
    /// Book.all().including(optional: Book.author)
    /// ```
    public func including<A: Association>(optional association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        joining(association, .optional)
    }

    /// Joins an association, without fetching its columns. Rows without an associated row are
    /// excluded.
    ///
    /// ```swift
    /// // SELECT "book".*
    /// // FROM "book"
    /// // JOIN "author" ON "author"."id" = "book"."authorId"
    /// Book.all().joining(required: Book.author)
    /// ```
    public func joining<A: Association>(required association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        joining(association, .required) { $0.relation.selection = .init() }
    }

    /// Joins an association, without fetching its columns.
    ///
    /// ```swift
    /// // SELECT "book".*
    /// // FROM "book"
    /// // LEFT JOIN "author" ON "author"."id" = "book"."authorId"
    /// Book.all().joining(optional: Book.author)
    /// ```
    public func joining<A: Association>(optional association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        joining(association, .optional) { $0.relation.selection = .init() }
    }

    /// Joins an association, and appends its columns to those of the request. Rows without an
    /// associated row are excluded.
    ///
    /// ```swift
    /// // SELECT "player".*, "team"."color"
    /// // FROM "player"
    /// // JOIN "team" ON "team"."id" = "player"."teamId"
    /// Player.all().annotated(withRequired: Player.team.select(\.color))
    /// ```
    public func annotated(withRequired association: any Association<RowDecoder>) -> Self {
        _joining(_RelationJoin(annotating: association._join, .required))
    }

    /// Joins an association, and appends its columns to those of the request. They are NULL for
    /// rows without an associated row.
    ///
    /// ```swift
    /// // SELECT "player".*, "team"."color"
    /// // FROM "player"
    /// // LEFT JOIN "team" ON "team"."id" = "player"."teamId"
    /// Player.all().annotated(withOptional: Player.team.select(\.color))
    /// ```
    public func annotated(withOptional association: any Association<RowDecoder>) -> Self {
        _joining(_RelationJoin(annotating: association._join, .optional))
    }

    private func joining(
        _ association: some Association, _ kind: Join.Kind,
        _ change: (inout Join) -> Void = { _ in }
    ) -> Self {
        _joining(_RelationJoin(association._join.joined(kind, change)))
    }

    /// Prefetches all rows of an association.
    ///
    /// ```swift
    /// // SELECT * FROM "author"
    /// // SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
    /// let request = Author.all().including(all: Author.books)
    ///
    /// struct AuthorInfo: FetchableRecord, Decodable {
    ///     var author: Author
    ///     var books: [Book]
    /// }
    /// let authorInfos = try request.asRequest(of: AuthorInfo.self).fetchAll(db)
    /// ```
    ///
    /// The associated rows are fetched by an additional query, and are stored in
    /// ``Row/prefetchedRows`` under the key of the association. The request must select the columns
    /// that the association refers to.
    public func including<A: AssociationToMany>(all association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        let join = association._join
        return _joining(
            _RelationJoin(Prefetch(key: join.join.key, path: join.pivots + [join.join])))
    }
}
