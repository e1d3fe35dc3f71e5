/// A request that other tables can be joined to.
public protocol JoinableRequest<RowDecoder>: TypedRequest {
    /// Not to be called: see `including(required:)` and the methods next to it.
    func _joining(_ join: _AssociationJoin) -> Self
}

extension JoinableRequest {
    /// Joins an association, and fetches its columns. Rows without associated row are left out.
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

    /// Joins an association, and fetches its columns. They are NULL for rows without associated
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

    /// Joins an association, without fetching its columns. Rows without associated row are left
    /// out.
    ///
    /// ```swift
    /// // SELECT "book".*
    /// // FROM "book"
    /// // JOIN "author" ON "author"."id" = "book"."authorId"
    /// Book.all().joining(required: Book.author)
    /// ```
    public func joining<A: Association>(required association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        joining(association, .required) { $0.relation.selection = [] }
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
        joining(association, .optional) { $0.relation.selection = [] }
    }

    /// Joins an association, and appends its columns to those of the request. Rows without
    /// associated row are left out.
    ///
    /// ```swift
    /// // SELECT "player".*, "team"."color"
    /// // FROM "player"
    /// // JOIN "team" ON "team"."id" = "player"."teamId"
    /// Player.all().annotated(withRequired: Player.team.select(\.color))
    /// ```
    public func annotated<A: Association>(withRequired association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        joining(association, .required) { $0.isAnnotation = true }
    }

    /// Joins an association, and appends its columns to those of the request. They are NULL for
    /// rows without associated row.
    ///
    /// ```swift
    /// // SELECT "player".*, "team"."color"
    /// // FROM "player"
    /// // LEFT JOIN "team" ON "team"."id" = "player"."teamId"
    /// Player.all().annotated(withOptional: Player.team.select(\.color))
    /// ```
    public func annotated<A: Association>(withOptional association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        joining(association, .optional) { $0.isAnnotation = true }
    }

    private func joining(
        _ association: some Association, _ kind: Join.Kind,
        _ change: (inout Join) -> Void = { _ in }
    ) -> Self {
        var join = association._join.join
        join.kind = kind
        change(&join)
        return _joining(_AssociationJoin(join: join))
    }
}
