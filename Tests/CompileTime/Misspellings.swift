// Misspelled columns and values of a wrong type: the message of the compiler names the mistake.
// `scripts/check-compile-time` compiles this file, and compares the messages with those in its comments.

import Foundation
import GRDB
import GRDBQueries

struct Author: Codable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var name: String

    static let articles = hasMany(Article.self)

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
    }
}

struct Article: Codable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var title: String
    var views: Int
    var authorId: Int64

    static let author = belongsTo(Author.self)

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let title = Column(CodingKeys.title)
        static let views = Column(CodingKeys.views)
        static let authorId = Column(CodingKeys.authorId)
        static let likes = TypedColumn<Int>("likes")
    }
}

func filters() {
    _ = Article.filter { $0.viewz > 1 }  // error: type 'Article.Columns' has no member 'viewz'
    _ = Article.filter { $0.viewz == nil }  // error: type 'Article.Columns' has no member 'viewz'
    _ = Article.filter { $0.draft }  // error: type 'Article.Columns' has no member 'draft'
    _ = Article.filter { !$0.draft }  // error: type 'Article.Columns' has no member 'draft'
    _ = Article.filter { $0.titl.like("%") }  // error: type 'Article.Columns' has no member 'titl'
    // error: type 'Article.Columns' has no member 'idd'
    _ = Article.filter { [1].contains($0.idd) }
    // error: type 'Article.Columns' has no member 'titl'
    _ = Article.filter { length($0.titl) > 3 }
    // error: type 'Article.Columns' has no member 'x'
    _ = Article.filter { $0.id > 1 && $0.x == 1 }
    // error: type 'Article.Columns' has no member 'x'
    _ = Article.filter { $0.x > 1 && $0.id == 1 }
    _ = Article.filter { $0.id + $0.x > 3 }  // error: type 'Article.Columns' has no member 'x'
    _ = Article.all().filter { $0.x > 1 }  // error: type 'Article.Columns' has no member 'x'
    _ = Article.all().filter { $0.x }  // error: type 'Article.Columns' has no member 'x'
    // error: type 'Article.Columns' has no member 'x'
    _ = Article.all().filter { $0.x > 1 && $0.id > 1 }
    _ = Article.filter { $0.x > 1 }.order(\.id)  // error: type 'Article.Columns' has no member 'x'
    // error: type 'Article.Columns' has no member 'x'
    _ = Article.filter { $0.id > 1 }.filter { $0.x }
    _ = Article.filter(Article.Columns.x > 1)  // error: type 'Article.Columns' has no member 'x'
}

func orders() {
    _ = Article.order { $0.viewz }  // error: type 'Article.Columns' has no member 'viewz'
    _ = Article.order { $0.viewz.desc }  // error: type 'Article.Columns' has no member 'viewz'
    _ = Article.order { [$0.id, $0.viewz] }  // error: type 'Article.Columns' has no member 'viewz'
    _ = Article.all().order { $0.viewz }  // error: type 'Article.Columns' has no member 'viewz'
    _ = Article.order(Article.Columns.x)  // error: type 'Article.Columns' has no member 'x'
    _ = Article.order { $0.id.down }  // error: value of type 'Column' has no member 'down'
}

// The compiler does not name the member of a key path, but the line shows nothing else.
func keyPaths() {
    // error: 'order' is unavailable: the columns of the record type have no such member
    _ = Article.order(\.x)
    // error: 'order' is unavailable: the columns of the record type have no such member
    _ = Article.order(\.x.desc)
    // error: 'order' is unavailable: the columns of the record type have no such member
    _ = Article.order(\.id.down)
    // error: 'order' is unavailable: the columns of the record type have no such member
    _ = Article.order(\.id, \.x.desc)
    // error: 'order' is unavailable: the columns of the record type have no such member
    _ = Article.all().order(\.x)
    // error: 'order' is unavailable: the columns of the record type have no such member
    _ = Article.order(\.x).limit(1)
    // error: 'order' is unavailable: the columns of the record type have no such member
    _ = Article.author.order(\.x)
    // error: 'order' is unavailable: the columns of the record type have no such member
    _ = Table<Article>("a").order(\.x)
    // error: 'select' is unavailable: the columns of the record type have no such member
    _ = Article.select(\.x)
    // error: 'select' is unavailable: the columns of the record type have no such member
    _ = Article.all().select(\.x)
    // error: 'group' is unavailable: the columns of the record type have no such member
    _ = Article.all().group(\.x)
    _ = Article.order(\.id)
    _ = Article.order(\.id.desc, \.likes, \.title)
    _ = Article.order(\.likes).limit(1)
    _ = Article.author.order(\.name)
    _ = Table<Article>("a").order(\.id)
    let likes: QueryInterfaceRequest<Int> = Article.select(\.likes)
    let title: QueryInterfaceRequest<String> = Article.all().select(\.title, as: String.self)
    _ = Article.all().group(\.id)
    _ = (likes, title)
}

func selections() {
    _ = Article.select { $0.viewz }  // error: type 'Article.Columns' has no member 'viewz'
    _ = Article.select { [$0.id, $0.viewz] }  // error: type 'Article.Columns' has no member 'viewz'
    _ = Article.select { max($0.viewz) }  // error: type 'Article.Columns' has no member 'viewz'
    _ = Article.select({ $0.x }, as: Int.self)  // error: type 'Article.Columns' has no member 'x'
    _ = Article.all().select { $0.viewz }  // error: type 'Article.Columns' has no member 'viewz'
    _ = Article.all().select { [$0.x, $0.id] }  // error: type 'Article.Columns' has no member 'x'
    _ = Article.annotated { $0.viewz }  // error: type 'Article.Columns' has no member 'viewz'
    // error: type 'Article.Columns' has no member 'viewz'
    _ = Article.annotated { [$0.id, $0.viewz] }
    _ = Article.all().annotated { $0.x }  // error: type 'Article.Columns' has no member 'x'
}

func groups() {
    _ = Article.all().group { $0.viewz }  // error: type 'Article.Columns' has no member 'viewz'
    _ = Article.all().group { [$0.id, $0.x] }  // error: type 'Article.Columns' has no member 'x'
    // error: type 'Article.Columns' has no member 'viewz'
    _ = Article.all().having { $0.viewz > 1 }
    _ = Article.all().having { max($0.x) > 1 }  // error: type 'Article.Columns' has no member 'x'
}

func joins() {
    let author = TableAlias<Author>()
    _ = Article.including(required: Article.authr)  // error: type 'Article' has no member 'authr'
    _ = Article.author.filter { $0.nam == "a" }  // error: type 'Author.Columns' has no member 'nam'
    // error: type 'Author.Columns' has no member 'x'
    _ = Article.joining(required: Article.author.filter { $0.x > 1 })
    // error: type 'Author.Columns' has no member 'x'
    _ = Article.including(optional: Article.author.order { $0.x })
    // error: type 'Article.Columns' has no member 'x'
    _ = Author.including(all: Author.articles.filter { $0.x > 1 })
    // error: type 'Article.Columns' has no member 'x'
    _ = Author.annotated(with: Author.articles.max { $0.x })
    // error: type 'Article.Columns' has no member 'x'
    _ = Author.having(Author.articles.sum { $0.x } > 1)
    // error: type 'Author.Columns' has no member 'nam'
    _ = Article.filter { $0.title == author.nam }
}

func tables() {
    let table = Table<Article>("article")
    _ = table.filter { $0.viewz > 1 }  // error: type 'Article.Columns' has no member 'viewz'
    _ = table.order { $0.viewz.desc }  // error: type 'Article.Columns' has no member 'viewz'
    _ = table.select { $0.viewz }  // error: type 'Article.Columns' has no member 'viewz'
    _ = table.annotated { $0.viewz }  // error: type 'Article.Columns' has no member 'viewz'
}

func changes(_ db: Database) throws {
    // error: type 'Article.Columns' has no member 'x'
    _ = try Article.updateAll(db) { $0.x.set(to: 1) }
    // error: type 'Article.Columns' has no member 'x'
    _ = try Article.updateAll(db) { [$0.x += 1] }
    // error: type 'Article.Columns' has no member 'x'
    _ = try Article.all().updateAll(db) { $0.x.set(to: 1) }
    // error: type 'Article.Columns' has no member 'x'
    _ = try Article.filter { $0.x > 1 }.deleteAll(db)
    // error: type 'Article.Columns' has no member 'x'
    _ = try Article.filter { $0.x > 1 }.fetchAll(db)
    // error: type 'Article.Columns' has no member 'x'
    _ = try Article.all().filter { $0.x > 1 }.fetchCount(db)
}

extension QueryInterfaceRequest<Article> {
    // error: type 'Article.Columns' has no member 'x'
    func popular() -> Self { filter { $0.x > 1 } }
    // error: type 'Article.Columns' has no member 'x'
    func byViews() -> Self { order { $0.x.desc } }
}

extension DerivableRequest<Article> {
    func seen() -> Self { filter { $0.x > 1 } }  // error: type 'Article.Columns' has no member 'x'
    func byTitle() -> Self { order { $0.x } }  // error: type 'Article.Columns' has no member 'x'
    func titles() -> Self { select { $0.x } }  // error: type 'Article.Columns' has no member 'x'
    func perTitle() -> Self { group { $0.x } }  // error: type 'Article.Columns' has no member 'x'
}

func types() {
    // error: value of type 'Column' has no member 'contains'
    _ = Article.filter { $0.title.contains("a") }
    // error: value of type 'Column' has no member 'hasPrefix'
    _ = Article.filter { $0.title.hasPrefix("a") }
    // error: type 'Article.Type' cannot conform to 'SQLExpressible'
    _ = Article.filter { $0.views > Article.self }
    // error: type '(Int, Int)' cannot conform to 'SQLExpressible'
    _ = Article.filter { $0.views == (1, 2) }
    // error: type 'Author.Type' cannot conform to 'SQLExpressible'
    _ = Article.filter { $0.id + Author.self }
    _ = Article.filter("title")  // error: missing argument label 'key:' in call
    _ = Article.order("title")  // error: missing argument label 'literal:' in call
    // error: cannot convert value of type 'String' to expected argument type 'Int64'
    _ = Article.filter(id: "a")
    // error: cannot convert value of type 'String' to expected element type 'Int64'
    _ = Article.filter(ids: ["a"])
    // error: cannot convert value of type 'String' to expected argument type 'Int'
    _ = Article.limit("a")
}
