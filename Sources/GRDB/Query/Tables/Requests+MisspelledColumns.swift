// Overloads for key paths that name no column. Without them, the compiler reports overloads that
// take no key path, and "cannot infer key path type". Closures need no such overloads, because the
// compiler then reports the missing member.

/// The root of key paths that name no column. It has every member. Internal.
@dynamicMemberLookup
public struct _MisspelledColumn {
    private init() {}

    public subscript(dynamicMember name: String) -> _MisspelledColumn { self }
}

extension TableRecord {
    @available(*, unavailable, message: "the columns of the record type have no such member")
    public static func select(
        _ selection: KeyPath<_MisspelledColumn, _MisspelledColumn>
    ) -> QueryInterfaceRequest<Self> {
        all()
    }

    @available(*, unavailable, message: "the columns of the record type have no such member")
    public static func order(
        _ orderings: KeyPath<_MisspelledColumn, _MisspelledColumn>...
    ) -> QueryInterfaceRequest<Self> {
        all()
    }
}

extension Table where RowDecoder: TableRecord {
    @available(*, unavailable, message: "the columns of the record type have no such member")
    public func select(
        _ selection: KeyPath<_MisspelledColumn, _MisspelledColumn>
    ) -> QueryInterfaceRequest<RowDecoder> {
        all()
    }

    @available(*, unavailable, message: "the columns of the record type have no such member")
    public func order(
        _ orderings: KeyPath<_MisspelledColumn, _MisspelledColumn>...
    ) -> QueryInterfaceRequest<RowDecoder> {
        all()
    }
}

extension SelectionRequest where Self: TypedRequest, RowDecoder: TableRecord {
    @available(*, unavailable, message: "the columns of the record type have no such member")
    public func select(_ selection: KeyPath<_MisspelledColumn, _MisspelledColumn>) -> Self {
        self
    }
}

extension AggregatingRequest where Self: TypedRequest, RowDecoder: TableRecord {
    @available(*, unavailable, message: "the columns of the record type have no such member")
    public func group(_ expression: KeyPath<_MisspelledColumn, _MisspelledColumn>) -> Self {
        self
    }
}

extension OrderedRequest where Self: TypedRequest, RowDecoder: TableRecord {
    @available(*, unavailable, message: "the columns of the record type have no such member")
    public func order(_ orderings: KeyPath<_MisspelledColumn, _MisspelledColumn>...) -> Self {
        self
    }
}
