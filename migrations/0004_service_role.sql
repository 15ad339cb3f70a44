-- The role that the service works under: it can read and append history, and no more.
-- Roles belong to the whole server: another database may be creating this one at the same time, and
-- a hosted server may not let its user create roles at all.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'ohlas_service') THEN
        BEGIN
            CREATE ROLE ohlas_service NOLOGIN;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
            WHEN insufficient_privilege THEN
                RAISE NOTICE 'role ohlas_service is missing and % may not create it: '
                    'history is guarded by its triggers alone', current_user;
                RETURN;
        END;
    END IF;

    GRANT SELECT, INSERT ON batches, gate_checks, items, item_keys, item_revisions, fetches,
        observations TO ohlas_service;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ohlas_service;
    GRANT EXECUTE ON FUNCTION ensure_partitions TO ohlas_service;
    GRANT SELECT, INSERT, UPDATE ON newsrooms, sources, source_state, source_days TO ohlas_service;
    GRANT SELECT, INSERT, UPDATE, DELETE ON snapshots, events, event_items, event_scores,
        event_changes TO ohlas_service;

    IF NOT pg_has_role(current_user, 'ohlas_service', 'MEMBER') THEN
        BEGIN
            EXECUTE format('GRANT ohlas_service TO %I', current_user);
        EXCEPTION WHEN insufficient_privilege THEN
            RAISE NOTICE '% may not work as ohlas_service', current_user;
        END;
    END IF;
END
$$;
