-- The service that answers /api/metrics/[id]. It may only record which protocols were read.
DO $$ BEGIN IF to_regrole('metrics_api') IS NULL THEN CREATE ROLE metrics_api LOGIN; END IF; END $$;
