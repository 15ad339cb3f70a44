-- Recomputes over history that have not ended, and how far they came: one that was killed goes on.

CREATE TABLE recomputes (
    model text PRIMARY KEY,
    -- What computes: the engine's version and the model's hash. Another one begins anew.
    maker text NOT NULL,
    from_at timestamptz NOT NULL,
    to_at timestamptz NOT NULL,
    -- Boards are derived up to here.
    done_at timestamptz NOT NULL
);

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ohlas_service') THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON recomputes TO ohlas_service;
    END IF;
END
$$;
