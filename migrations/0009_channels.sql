-- Pages of posts that readers' feeds are made of. They are asked for when a reader or the refresher
-- wants them; what stands on them is kept for minutes in memory and never here.

ALTER TABLE sources DROP CONSTRAINT sources_kind_check;
ALTER TABLE sources ADD CONSTRAINT sources_kind_check CHECK (kind IN ('feed', 'video', 'channel'));

-- A channel of our own is the newest items of one source.
CREATE INDEX ON items (source_id, mention_at DESC);
