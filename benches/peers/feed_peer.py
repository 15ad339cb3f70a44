"""What one would build in Python for the personalised feed: json, numpy, scikit-learn's TF-IDF.

python feed_peer.py DIR: builds the feed of the pages in DIR (of `feed_bench --write-pages`), three
times, and writes one JSON line with the median.
"""

import json
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from hashlib import blake2b
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

NOW = 1_780_000_000
HALF_LIFE_HOURS = 24
DIVERSITY = 0.5
LIMIT = 100
WORD = re.compile(r"[^\W\d_][^\W_]{2,}")
STOP = set("jako který jsem jsou bylo byla the and for with that this".split())
UNITS = {"K": 1e3, "M": 1e6}
POSITIVE = {"👍", "❤", "🔥", "🎉", "👏"}
NEGATIVE = {"👎", "💩", "🤮", "😡"}


def count(value):
    if isinstance(value, (int, float)):
        return float(value)
    unit = UNITS.get(value[-1:], 1)
    return float(value.rstrip("KM").replace(" ", "").replace(",", "")) * unit


def words(text):
    return [word[:5] for word in WORD.findall(text.lower()) if word not in STOP]


def score(post, subscribers):
    content, footer = post["content"], post["footer"]
    views = count(footer["views"])
    reacts = content["reacts"]
    positive = sum(count(react["count"]) for react in reacts if react["emoji"] in POSITIVE)
    negative = sum(count(react["count"]) for react in reacts if react["emoji"] in NEGATIVE)
    ratio = views / subscribers
    prior = 5 + views / 100
    length = len(post["words"])
    media = len(content["media"])
    quality = (
        0.35 * ratio / (ratio + 0.2)
        + 0.3 * (positive + prior / 2) / (positive + negative + prior)
        + 0.2 * length / (length + 20)
        + 0.1 * (media + 1) / (media + 2)
        + 0.05 * (1 if footer["edited"] else 0.5)
    )
    age = max(0, NOW - footer["date"]["unix"]) / 3600
    return 10 * quality * (0.1 + 0.9 * 0.5 ** (age / HALF_LIFE_HOURS))


def prints(words):
    """The set of hashes of three words in a row, and their SimHash."""
    shingles = {" ".join(words[at : at + 3]) for at in range(len(words) - 2)}
    hashes = {int.from_bytes(blake2b(shingle.encode(), digest_size=8).digest()) for shingle in shingles}
    bits = np.unpackbits(np.array(sorted(hashes), dtype=np.uint64).view(np.uint8).reshape(-1, 8), axis=1)
    simhash = np.packbits(2 * bits.sum(axis=0) > len(hashes)).view(np.uint64)[0]
    return hashes, int(simhash)


def duplicates(posts):
    """The number of the first post that each repeats, its own where there is none."""
    parents = list(range(len(posts)))

    def root(number):
        while parents[number] != number:
            number = parents[number]
        return number

    having = defaultdict(list)
    known = []
    for number, post in enumerate(posts):
        known.append(prints(post["words"]) if len(post["words"]) >= 10 else None)
        if known[number] is None:
            continue
        hashes, simhash = known[number]
        for other in {other for shingle in hashes for other in having[shingle]}:
            theirs, their_simhash = known[other]
            shared = len(hashes & theirs)
            if (simhash ^ their_simhash).bit_count() <= 20 and shared >= 0.7 * min(len(hashes), len(theirs)):
                one, two = sorted((root(number), root(other)))
                parents[two] = one
        for shingle in hashes:
            having[shingle].append(number)
    return [root(number) for number in range(len(posts))]


def place(posts, rows, vectors):
    scores = np.array([posts[row]["score"] for row in rows])
    channels = np.array([posts[row]["channel"] for row in rows])
    candidates = vectors[rows]
    # Cosines to the posts placed last, in the order of their places modulo ten.
    cosines = np.zeros((len(rows), 10))
    placed = []
    while len(placed) < min(LIMIT, len(rows)):
        adjusted = scores * (1 - DIVERSITY * cosines.max(axis=1))
        for channel in channels[placed[-5:]]:
            adjusted[channels == channel] *= 1 - DIVERSITY / 2
        adjusted[placed] = -1
        best = int(adjusted.argmax())
        cosines[:, len(placed) % 10] = (candidates @ candidates[best].T).toarray()[:, 0]
        placed.append(best)
    return [rows[at] for at in placed]


def topics(placed, vectors):
    dense = vectors[placed].toarray()
    sums, members = np.zeros_like(dense), []
    for row, vector in zip(placed, dense, strict=True):
        known = sums[: len(members)]
        cosines = known @ vector / np.linalg.norm(known, axis=1) if members else np.zeros(1)
        best = int(cosines.argmax())
        if cosines[best] < 0.3:
            best = len(members)
            members.append([])
        sums[best] += vector
        members[best].append(row)
    return [rows for rows in members if len(rows) > 1]


def build(pages):
    posts = []
    for page in pages:
        page = json.loads(page)
        subscribers = count(page["channel"]["counters"]["subscribers"])
        for post in page["content"]["posts"]:
            post["channel"] = page["channel"]["username"]
            post["words"] = words(post["content"]["text"]["string"])
            post["score"] = score(post, subscribers)
            posts.append(post)
    posts.sort(key=lambda post: -post["score"])
    firsts = duplicates(posts)
    vectors = TfidfVectorizer(analyzer=lambda post: post["words"]).fit_transform(posts)
    placed = place(posts, [row for row, first in enumerate(firsts) if row == first], vectors)
    folded = defaultdict(list)
    for row, first in enumerate(firsts):
        if row != first:
            folded[first].append(row)
    named = {row: number for number, rows in enumerate(topics(placed, vectors)) for row in rows}
    answer = [
        {**posts[row], "_duplicates": folded[row], "_topic": named.get(row)} for row in placed
    ]
    return json.dumps(answer, ensure_ascii=False), len(posts)


def main():
    pages = [path.read_bytes() for path in sorted(Path(sys.argv[1]).glob("*.json"))]
    times = []
    for _ in range(3):
        start = time.perf_counter()
        _, posts = build(pages)
        times.append(time.perf_counter() - start)
    print(json.dumps({"peer": "feed in Python", "posts": posts, "seconds": statistics.median(times)}))


main()
