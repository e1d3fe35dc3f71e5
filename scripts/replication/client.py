"""A client of the shop that notes what the server has acknowledged, and asks for it again.

    client.py buy URL LOG RUN DURABLE LOCAL   buys until the server is gone, with DURABLE threads that ask
                                              for a replicated purchase and LOCAL ones that don't; adds
                                              each response to LOG, one a line
    client.py compare URL LOG [lost-is-fine]  compares each response in LOG with what the server answers
                                              now; with `lost-is-fine`, purchases that were not asked to be
                                              replicated may be missing, from the end
"""

import http.client
import json
import random
import sys
import threading
import time
from urllib.parse import urlsplit


def connect(url):
    return http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)


def buy(url, log, run, durable, local):
    lock = threading.Lock()
    counts = {"durable": 0, "local": 0}
    latencies = {"durable": [], "local": []}
    failures = []

    def work(kind, number):
        connection = connect(url)
        path = "/purchases/durable" if kind == "durable" else "/purchases"
        for counter in range(10_000_000):
            first = random.randrange(1, 2000)
            body = json.dumps({
                "reference": f"{kind}-{run}-{number}-{counter}",
                "lines": [{"product": first, "quantity": 1}, {"product": first + 1, "quantity": 3}],
            })
            start = time.monotonic()
            try:
                connection.request("POST", path, body)
                response = connection.getresponse()
                text = response.read()
            except (OSError, http.client.HTTPException):
                return  # The server is gone.
            if response.status != 200:
                failures.append(f"{response.status}: {text[:200]}")
                return
            with lock:
                counts[kind] += 1
                latencies[kind].append(time.monotonic() - start)
                log.write(json.dumps({"kind": kind, "page": json.loads(text)}) + "\n")
                log.flush()

    threads = [threading.Thread(target=work, args=("durable", n)) for n in range(durable)]
    threads += [threading.Thread(target=work, args=("local", n)) for n in range(local)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        sys.exit("the server refuses: " + failures[0])
    for kind, values in latencies.items():
        if values:
            values.sort()
            p50, p99 = (1000 * values[int(len(values) * q)] for q in (0.5, 0.99))
            print(f"{counts[kind]} {kind} purchases acknowledged (p50 {p50:.1f} ms, p99 {p99:.1f} ms)")


def without_names(page):
    """The purchase: the names of products may have changed since."""
    return page["purchase"], [line["purchaseLine"] for line in page["lines"]]


def compare(url, log, lost_is_fine):
    connection = connect(url)
    found, last, lost, kinds = 0, 0, [], {"durable": 0, "local": 0}
    for line in log:
        entry = json.loads(line)
        page = entry["page"]
        purchase = page["purchase"]["id"]
        connection.request("GET", f"/purchases/{purchase}")
        response = connection.getresponse()
        text = response.read()
        if response.status == 404 and lost_is_fine and entry["kind"] == "local":
            lost.append(purchase)
            continue
        if response.status != 200:
            sys.exit(f"the {entry['kind']} purchase {purchase} is lost: {response.status}")
        if without_names(json.loads(text)) != without_names(page):
            sys.exit(f"purchase {purchase} was {page}, and is {text}")
        found += 1
        kinds[entry["kind"]] += 1
        last = max(last, purchase)
    if lost and min(lost) < last:
        sys.exit(f"purchase {min(lost)} is lost, but not purchase {last}")
    tail = f", {len(lost)} that were not replicated are lost, all after the last one" if lost else ""
    print(f"{found} acknowledged responses are found unchanged ({kinds['durable']} durable){tail}")


if __name__ == "__main__":
    command, url, path = sys.argv[1:4]
    if command == "buy":
        with open(path, "a") as log:
            buy(url, log, sys.argv[4], int(sys.argv[5]), int(sys.argv[6]))
    else:
        with open(path) as log:
            compare(url, log, sys.argv[4:] == ["lost-is-fine"])
