-- What wrk sends to the shop: `reads`, `writes`, or `mixed` (one write in five requests), the argument
-- after `--`. The second argument makes the references of purchases unique.

local counter = 0
local threads = 0

function setup(thread)
    threads = threads + 1
    thread:set("number", threads)
end

function init(arguments)
    kind = arguments[1] or "mixed"
    run = arguments[2] or "0"
    math.randomseed(os.time() + number * 7919)
end

local words = { "leather", "lamp", "garden", "steel", "winter", "paper", "modern", "kettle" }
local categories = { "kitchen", "garden", "office", "music", "winter" }

local function product() return math.random(1, 2000) end

local function read()
    local choice = math.random(1, 100)
    if choice <= 60 then return wrk.format("GET", "/products/" .. product()) end
    if choice <= 80 then
        local category = categories[math.random(#categories)]
        return wrk.format("GET", "/products?category=" .. category .. "&after=" .. product())
    end
    local first, second = words[math.random(#words)], words[math.random(#words)]
    return wrk.format("GET", "/search?q=" .. first .. "+" .. second)
end

local function write()
    counter = counter + 1
    if math.random(1, 10) == 1 then
        local id = product()
        return wrk.format("PUT", "/products/" .. id, {}, string.format(
            '{"id":%d,"categoryId":%d,"name":"changed lamp %d","description":"a garden in winter",'
                .. '"price":500,"stock":1000000}', id, 1 + id % 10, counter))
    end
    local first = product()
    return wrk.format("POST", "/purchases", {}, string.format(
        '{"reference":"wrk-%s-%d-%d","lines":[{"product":%d,"quantity":1},{"product":%d,"quantity":2}]}',
        run, number, counter, first, 1 + first % 2000))
end

function request()
    if kind == "reads" then return read() end
    if kind == "writes" then return write() end
    return math.random(1, 5) == 1 and write() or read()
end
