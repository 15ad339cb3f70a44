-- What the schedule learns of a source, as mutable as the rest of its state.

ALTER TABLE source_state
    -- Answers that were compared with the one before, how many of them had changed, and the time
    -- between them; all three fade, so that the newest days count most.
    ADD COLUMN compared double precision NOT NULL DEFAULT 0,
    ADD COLUMN changed double precision NOT NULL DEFAULT 0,
    ADD COLUMN compared_seconds double precision NOT NULL DEFAULT 0,
    -- Until then its host wants to be left alone: a crawl delay, or "Retry-After".
    ADD COLUMN host_free_at timestamptz;
