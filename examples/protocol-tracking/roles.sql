-- The service that answers /api/metrics/[id]: it may say which protocols are read, and no more.
DO $$ BEGIN IF to_regrole('metrics_api') IS NULL THEN CREATE ROLE metrics_api LOGIN; END IF; END $$;
