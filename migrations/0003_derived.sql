-- Derived from history under a model: may be dropped and rebuilt.

CREATE TABLE snapshots (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model text NOT NULL,
    at timestamptz NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    -- The whole snapshot as JSON; kept for the newest few of each model.
    body bytea,
    stats jsonb NOT NULL
);
CREATE INDEX ON snapshots (model, at, id) WHERE body IS NOT NULL;

-- lz4 makes a large body several times cheaper to write; not every server is built with it.
DO $$
BEGIN
    ALTER TABLE snapshots ALTER COLUMN body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    RAISE NOTICE 'this server has no lz4: snapshots are compressed with pglz';
END
$$;

CREATE TABLE events (
    model text NOT NULL,
    id bigint NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    title text NOT NULL,
    newsrooms integer NOT NULL,
    -- The older event that it redirects to for ever; null while it stands on the board.
    merged_into bigint,
    PRIMARY KEY (model, id)
);

-- From `at` on the item stands in the event.
CREATE TABLE event_items (
    model text NOT NULL,
    item_id bigint NOT NULL,
    at timestamptz NOT NULL,
    event_id bigint NOT NULL,
    PRIMARY KEY (model, item_id, at)
);
CREATE INDEX ON event_items (model, at);
CREATE INDEX ON event_items (model, event_id);

-- Only events of two or more newsrooms have a heat.
CREATE TABLE event_scores (
    model text NOT NULL,
    event_id bigint NOT NULL,
    at timestamptz NOT NULL,
    breadth double precision NOT NULL,
    velocity double precision NOT NULL,
    priority double precision NOT NULL,
    persistence double precision NOT NULL,
    decay double precision NOT NULL,
    newsrooms integer NOT NULL,
    PRIMARY KEY (model, event_id, at)
);
CREATE INDEX ON event_scores (model, at);

CREATE TABLE event_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model text NOT NULL,
    at timestamptz NOT NULL,
    event_id bigint NOT NULL,
    -- The change itself as the API gives it: kind and what belongs to it.
    change jsonb NOT NULL
);
CREATE INDEX ON event_changes (model, at, id);
