import GRDB
import Hummingbird
import NIOCore
import ServiceLifecycle

func makeRouter(_ shop: Shop, _ counters: Counters, _ replication: Replication) -> Router<
    BasicRequestContext
> {
    let router = Router()
    router.add(middleware: CountRequests(counters: counters))

    router.get("/health") { _, _ -> HTTPResponse.Status in
        try await shop.isHealthy() ? .ok : .serviceUnavailable
    }
    router.get("/metrics") { _, _ -> String in
        counters.text(pool: shop.pool)
    }

    router.get("/products") { request, _ -> [Product] in
        let query = request.uri.queryParameters
        return try await shop.products(
            category: query.get("category") ?? "kitchen",
            after: query.get("after", as: Int64.self) ?? 0)
    }
    router.get("/products/:id") { _, context -> ProductPage in
        let id = try context.parameters.require("id", as: Int64.self)
        guard let page = try await shop.product(id: id) else { throw HTTPError(.notFound) }
        return page
    }
    router.put("/products/:id") { request, context -> Product in
        let product = try await request.decode(as: Product.self, context: context)
        guard try context.parameters.require("id", as: Int64.self) == product.id else {
            throw HTTPError(.badRequest, message: "the identifiers differ")
        }
        return try await shop.upsert(product)
    }
    router.get("/search") { request, _ -> [SearchHit] in
        try await shop.search(request.uri.queryParameters.get("q") ?? "")
    }

    // Answered when this machine has stored the purchase.
    router.post("/purchases") { request, context -> PurchasePage in
        try await shop.answer(request, context)
    }
    // Answered when the replica has it, too: the loss of this machine doesn't lose the purchase.
    router.post("/purchases/durable") { request, context -> PurchasePage in
        let page = try await shop.answer(request, context)
        try await replication.wait(shop.pool)
        return page
    }
    router.get("/purchases/:id") { _, context -> PurchasePage in
        let id = try context.parameters.require("id", as: Int64.self)
        guard let page = try await shop.purchase(id: id) else { throw HTTPError(.notFound) }
        return page
    }

    router.get("/events") { _, _ -> Response in
        Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
            body: ResponseBody { writer in
                // The server that shuts down ends its streams, or else it would wait for them.
                for try await totals in shop.totals().cancelOnGracefulShutdown() {
                    try await writer.write(
                        ByteBuffer(
                            string: """
                                event: totals
                                data: {"purchases":\(totals.purchases),"revenue":\(totals.revenue)}


                                """))
                }
                try await writer.finish(nil)
            })
    }
    return router
}

extension Shop {
    fileprivate func answer(
        _ request: Request, _ context: BasicRequestContext
    ) async throws -> PurchasePage {
        do {
            return try await buy(request.decode(as: NewPurchase.self, context: context))
        } catch ShopError.unknownProduct {
            throw HTTPError(.badRequest, message: "there is no such product")
        } catch ShopError.soldOut {
            throw HTTPError(.conflict, message: "sold out")
        }
    }
}
