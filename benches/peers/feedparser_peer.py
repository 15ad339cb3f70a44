"""Reads feeds with feedparser: `feedparser_peer.py PASSES FILE…` prints its fastest passes as JSON."""

import json
import sys
import time

import feedparser

passes = int(sys.argv[1])
documents = [open(path, "rb").read() for path in sys.argv[2:]]


def read_all(**options):
    started = time.perf_counter()
    items = sum(len(feedparser.parse(document, **options).entries) for document in documents)
    return time.perf_counter() - started, items


full = [read_all() for _ in range(passes)]
bare = [read_all(sanitize_html=False, resolve_relative_uris=False) for _ in range(passes)]
print(json.dumps({
    "version": feedparser.__version__,
    "items": full[0][1],
    "seconds": min(full)[0],
    "seconds_bare": min(bare)[0],
}))
