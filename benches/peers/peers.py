"""What one would build from scikit-learn: TF-IDF, then a greedy or an agglomerative clustering.

    peers.py ITEMS             times every peer on the items of `engine_bench --write-items`
    peers.py ITEMS --data DIR  and measures each on the labelled sets, at the best of a few thresholds

Every peer clusters each language on its own, on one thread, and sees what the engine sees: title,
description and time. One JSON object a line: a peer's speed, or its figure at a threshold.
"""

import argparse
import json
import pathlib
import time
from collections import Counter, defaultdict
from datetime import datetime

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.feature_extraction.text import TfidfVectorizer

HOUR = 3600
REACH = 72 * HOUR
THRESHOLDS = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35]
QUOTED = {
    ("og2021", "en"), ("og2021", "ru"), ("og2021", "sl"), ("uci", "en"),
    ("rss_csen", "cs"), ("rss_csen", "en"), ("csday", "cs"),
}


def greedy(texts, times, threshold):
    """Each item in order of time joins the group of the nearest centroid, or begins a group."""
    vectors = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
    indices, indptr, data = vectors.indices, vectors.indptr, vectors.data
    groups = np.zeros(len(texts), dtype=int)
    # By word: group -> Σ of its items' weights. A centroid is that sum over its norm.
    postings = defaultdict(dict)
    square_norms, newest = [], []
    for item in np.argsort(times, kind="stable"):
        words = indices[indptr[item] : indptr[item + 1]].tolist()
        weights = data[indptr[item] : indptr[item + 1]].tolist()
        products = defaultdict(float)
        for word, weight in zip(words, weights):
            for group, sum_of_weights in postings[word].items():
                products[group] += weight * sum_of_weights
        best, nearest = threshold, None
        for group, product in products.items():
            cosine = product / square_norms[group] ** 0.5
            if cosine >= best and times[item] - newest[group] <= REACH:
                best, nearest = cosine, group
        if nearest is None:
            nearest = len(square_norms)
            square_norms.append(0.0)
            newest.append(0)
        square_norms[nearest] += 1.0 + 2.0 * products.get(nearest, 0.0)
        newest[nearest] = times[item]
        groups[item] = nearest
        for word, weight in zip(words, weights):
            of_word = postings[word]
            of_word[nearest] = of_word.get(nearest, 0.0) + weight
    return groups


def agglomerative(texts, times, threshold):
    """Average linkage over 1 − cosine · exp(−Δt / 72 h)."""
    if len(texts) < 2:
        return np.zeros(len(texts), dtype=int)
    vectors = TfidfVectorizer(sublinear_tf=True, dtype=np.float32).fit_transform(texts)
    times = np.asarray(times, dtype=np.float32)
    similarity = (vectors @ vectors.T).toarray()
    similarity *= np.exp(-np.abs(times[:, None] - times[None, :]) / REACH)
    clustering = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="average", distance_threshold=1 - threshold
    )
    return clustering.fit_predict(np.maximum(1 - similarity, 0))


# With the threshold that suits the labelled sets best.
PEERS = {"greedy": (greedy, 0.2), "agglomerative": (agglomerative, 0.1)}


def by_language(items):
    """(texts, times) of each language."""
    sets = defaultdict(lambda: ([], []))
    for item in items:
        texts, times = sets[item["language"]]
        texts.append(item["title"] + " " + item["lede"][:180])
        times.append(item["at"])
    return sets.values()


def speed(name, items):
    cluster, threshold = PEERS[name]
    start = time.perf_counter()
    groups = sum(len(set(cluster(*own, threshold).tolist())) for own in by_language(items))
    seconds = time.perf_counter() - start
    return {
        "peer": name,
        "items": len(items),
        "seconds": seconds,
        "items_per_second": len(items) / seconds,
        "groups": groups,
    }


def labelled(folder):
    """(texts, times, events) of each quoted set."""
    for path in sorted(pathlib.Path(folder).glob("*.jsonl")):
        name = path.stem.rsplit("_", 1)[0]
        lines = [json.loads(line) for line in path.open(encoding="utf-8")]
        for language in sorted({line.get("lang", "") for line in lines}):
            if (name, language) in QUOTED:
                own = [line for line in lines if line["lang"] == language]
                at = lambda line: datetime.fromisoformat(line["published"].replace("Z", "+00:00"))
                yield (
                    [line["title"] + " " + line["summary"][:180] for line in own],
                    [at(line).timestamp() for line in own],
                    [line["cluster"] for line in own],
                )


def figure(events, groups):
    """(BCubed F1 + pair F1) / 2."""
    of_event, of_group = Counter(events), Counter(groups)
    both = Counter(zip(events, groups))
    pairs = lambda counts: sum(n * (n - 1) / 2 for n in counts.values())
    f1 = lambda p, r: 2 * p * r / (p + r) if p + r else 0.0
    precision = sum(n * n / of_group[group] for (_, group), n in both.items()) / len(events)
    recall = sum(n * n / of_event[event] for (event, _), n in both.items()) / len(events)
    hit = pairs(both)
    pair_f1 = f1(hit / (pairs(of_group) or 1), hit / (pairs(of_event) or 1))
    return (f1(precision, recall) + pair_f1) / 2


def quality(name, sets):
    """The mean figure at the one threshold that suits the sets best."""
    cluster, _ = PEERS[name]
    means = {}
    for threshold in THRESHOLDS:
        figures = [
            figure(events, cluster(texts, times, threshold).tolist())
            for texts, times, events in sets
        ]
        means[threshold] = float(np.mean(figures))
    threshold = max(means, key=means.get)
    return {"peer": name, "mean": means[threshold], "threshold": threshold}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("items")
    arguments.add_argument("--data")
    given = arguments.parse_args()
    items = [json.loads(line) for line in open(given.items, encoding="utf-8")]
    for name in PEERS:
        print(json.dumps(speed(name, items)), flush=True)
    if given.data:
        sets = list(labelled(given.data))
        for name in PEERS:
            print(json.dumps(quality(name, sets)), flush=True)


if __name__ == "__main__":
    main()
