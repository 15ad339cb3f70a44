-- sources.toml, mirrored for joins, and what the schedule has to remember of each source.

CREATE TABLE newsrooms (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug text NOT NULL UNIQUE,
    name text NOT NULL,
    homepage text NOT NULL,
    owner text,
    country text NOT NULL,
    language text NOT NULL,
    weight double precision NOT NULL CHECK (weight >= 0),
    weight_reason text,
    -- No longer listed: kept, because history names it, but not polled.
    retired_at timestamptz,
    CHECK (weight = 1 OR weight_reason IS NOT NULL)
);

CREATE TABLE sources (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    newsroom_id integer NOT NULL REFERENCES newsrooms,
    slug text NOT NULL UNIQUE,
    section text NOT NULL,
    url text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('feed', 'video')),
    retired_at timestamptz
);
CREATE INDEX ON sources (newsroom_id);

-- Mutable, and no history: it may be lost without a fact being lost.
CREATE TABLE source_state (
    source_id integer PRIMARY KEY REFERENCES sources,
    next_check_at timestamptz NOT NULL,
    failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    etag text,
    last_modified text,
    stopped text,
    moved_to text,
    last_answer_at timestamptz,
    -- The newest listing that was read.
    listing_fetch bigint,
    listing_at timestamptz,
    listing_sha256 bytea,
    listing_bytes bigint
);
CREATE INDEX ON source_state (next_check_at);

-- Fetches and checks counted by day (UTC): derived, so that reports need not read all history.
CREATE TABLE source_days (
    source_id integer NOT NULL REFERENCES sources,
    day timestamptz NOT NULL,
    answered integer NOT NULL,
    unchanged integer NOT NULL,
    failed integer NOT NULL,
    refused integer NOT NULL,
    new_items integer NOT NULL,
    bytes_saved bigint NOT NULL,
    PRIMARY KEY (source_id, day)
);
CREATE INDEX ON source_days (day);
