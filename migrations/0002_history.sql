-- History: appended, never rewritten. What is stored of an item is link, title, short description,
-- times and places; there is no column for full texts, media or authors.

-- One batch is one transaction; its number is taken first, and its rows default to it. Outside a
-- batch the default fails, so nothing enters history by accident.
CREATE SEQUENCE batch_ids;

CREATE TABLE batches (
    id bigint PRIMARY KEY DEFAULT currval('batch_ids'),
    position bigint NOT NULL UNIQUE CHECK (position > 0),
    at timestamptz NOT NULL,
    prev_hash bytea NOT NULL CHECK (octet_length(prev_hash) = 32),
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    row_count integer NOT NULL CHECK (row_count > 0),
    -- Running totals of history, this batch included: counts of any moment without a scan.
    gate_checks bigint NOT NULL,
    fetches bigint NOT NULL,
    items bigint NOT NULL,
    observations bigint NOT NULL
);
CREATE INDEX ON batches (at, position);

CREATE TABLE gate_checks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id bigint NOT NULL DEFAULT currval('batch_ids'),
    source_id integer NOT NULL REFERENCES sources,
    at timestamptz NOT NULL,
    url text NOT NULL,
    user_agent text NOT NULL,
    robots_url text NOT NULL,
    robots_status integer CHECK (robots_status BETWEEN 0 AND 65535),
    robots_sha256 bytea CHECK (octet_length(robots_sha256) = 32),
    matched_rule text,
    tdm_signal text,
    verdict text NOT NULL CHECK (verdict IN ('allowed', 'disallowed', 'reserved', 'unreachable')),
    reason text NOT NULL,
    valid_until timestamptz NOT NULL
);
CREATE INDEX ON gate_checks (batch_id);
CREATE INDEX ON gate_checks (source_id, at);
CREATE INDEX ON gate_checks (at);

CREATE TABLE items (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id bigint NOT NULL DEFAULT currval('batch_ids'),
    newsroom_id integer NOT NULL REFERENCES newsrooms,
    -- Where and when it was first seen.
    source_id integer NOT NULL REFERENCES sources,
    at timestamptz NOT NULL,
    link text NOT NULL CHECK (char_length(link) <= 4000),
    title text NOT NULL CHECK (char_length(title) <= 1000),
    lede text NOT NULL CHECK (char_length(lede) <= 300),
    language text NOT NULL CHECK (char_length(language) <= 35),
    claimed_at timestamptz,
    mention_at timestamptz NOT NULL,
    backfill boolean NOT NULL
);
CREATE INDEX ON items (batch_id);
CREATE INDEX ON items (newsroom_id);

-- What an item is recognised by, within its newsroom.
CREATE TABLE item_keys (
    newsroom_id integer NOT NULL REFERENCES newsrooms,
    key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 600),
    item_id bigint NOT NULL REFERENCES items,
    batch_id bigint NOT NULL DEFAULT currval('batch_ids'),
    PRIMARY KEY (newsroom_id, key)
);
CREATE INDEX ON item_keys (batch_id);

-- A title or lede that changed at the same identity.
CREATE TABLE item_revisions (
    id bigint GENERATED ALWAYS AS IDENTITY,
    batch_id bigint NOT NULL DEFAULT currval('batch_ids'),
    item_id bigint NOT NULL REFERENCES items,
    source_id integer NOT NULL REFERENCES sources,
    at timestamptz NOT NULL,
    title text NOT NULL CHECK (char_length(title) <= 1000),
    lede text NOT NULL CHECK (char_length(lede) <= 300),
    PRIMARY KEY (item_id, id)
);
CREATE INDEX ON item_revisions (batch_id);

CREATE SEQUENCE fetch_ids;

CREATE TABLE fetches (
    source_id integer NOT NULL REFERENCES sources,
    at timestamptz NOT NULL,
    id bigint NOT NULL DEFAULT nextval('fetch_ids'),
    batch_id bigint NOT NULL DEFAULT currval('batch_ids'),
    url text NOT NULL,
    -- The gate check that permitted it.
    check_id bigint,
    status integer CHECK (status BETWEEN 0 AND 65535),
    outcome text NOT NULL CHECK (outcome IN ('listed', 'unchanged', 'failed')),
    -- The fetch that read the listing which this one confirms.
    same_as bigint,
    sha256 bytea CHECK (octet_length(sha256) = 32),
    bytes bigint NOT NULL CHECK (bytes >= 0),
    elapsed_ms bigint NOT NULL CHECK (elapsed_ms >= 0),
    items integer NOT NULL CHECK (items >= 0),
    new_items integer NOT NULL CHECK (new_items >= 0),
    defects text[] NOT NULL,
    error text,
    moved_to text,
    PRIMARY KEY (source_id, at, id),
    CHECK ((outcome = 'unchanged') = (same_as IS NOT NULL))
) PARTITION BY RANGE (at);
CREATE INDEX ON fetches (at);
CREATE INDEX ON fetches (id);

CREATE TABLE observations (
    source_id integer NOT NULL,
    at timestamptz NOT NULL,
    fetch_id bigint NOT NULL,
    item_id bigint NOT NULL,
    batch_id bigint NOT NULL DEFAULT currval('batch_ids'),
    views bigint,
    -- 1 is the top of the listing.
    position integer NOT NULL CHECK (position > 0),
    length integer NOT NULL CHECK (length >= position),
    -- Time first: rows come in its order, and a listing is looked up by all three.
    PRIMARY KEY (at, source_id, fetch_id, item_id)
) PARTITION BY RANGE (at);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'history is only appended: % of % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;

-- Statement triggers refuse before a row is looked for. Partitions inherit row triggers only, so
-- the two partitioned tables have those as well, and each partition its own against TRUNCATE.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['batches', 'gate_checks', 'items', 'item_keys', 'item_revisions',
        'fetches', 'observations']
    LOOP
        EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['fetches', 'observations'] LOOP
        EXECUTE format('CREATE TRIGGER append_only_rows BEFORE UPDATE OR DELETE ON %I
            FOR EACH ROW EXECUTE FUNCTION refuse_change()', name);
    END LOOP;
END
$$;

-- Monthly partitions (UTC) of fetches and observations that cover the two instants and all between.
-- With its owner's rights, because the service may insert into history but not shape it.
CREATE FUNCTION ensure_partitions(first_at timestamptz, last_at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    month timestamptz := date_trunc('month', first_at);
    parent text;
    part text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('ohlas.partitions'), 0);
    WHILE month <= last_at LOOP
        FOREACH parent IN ARRAY ARRAY['fetches', 'observations'] LOOP
            part := parent || to_char(month, '_YYYY_MM');
            IF to_regclass(part) IS NULL THEN
                EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
                    part, parent, month, month + interval '1 month');
                EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE
                    ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', part);
            END IF;
        END LOOP;
        month := month + interval '1 month';
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION ensure_partitions FROM PUBLIC;

-- Puts the session's batch at the end of the chain: hash = SHA-256(hash before it, then its rows).
-- The lock lasts until commit, so positions have no gaps and no two batches share a predecessor.
CREATE FUNCTION seal_batch(
    batch_at timestamptz, canonical_rows bytea, row_count integer,
    gate_checks bigint, fetches bigint, items bigint, observations bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    head batches;
    prev bytea;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('ohlas.chain'), 0);
    -- A statement of its own: it must see what was committed while the lock was awaited.
    SELECT * INTO head FROM batches ORDER BY position DESC LIMIT 1;
    prev := coalesce(head.hash, decode(repeat('00', 32), 'hex'));
    INSERT INTO batches
        (position, at, prev_hash, hash, row_count, gate_checks, fetches, items, observations)
    VALUES (
        coalesce(head.position, 0) + 1, batch_at, prev, sha256(prev || canonical_rows), row_count,
        coalesce(head.gate_checks, 0) + gate_checks, coalesce(head.fetches, 0) + fetches,
        coalesce(head.items, 0) + items, coalesce(head.observations, 0) + observations
    );
END
$$;
