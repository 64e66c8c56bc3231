-- A role that may do everything else.
DO $$ BEGIN IF to_regrole('drift_maker') IS NULL THEN CREATE ROLE drift_maker; END IF; END $$;
GRANT USAGE, CREATE ON SCHEMA retention TO drift_maker;
ALTER FUNCTION retention.months_partition(oid, text) OWNER TO drift_maker;
ALTER TABLE app.event OWNER TO drift_maker;
ALTER TABLE app.event_2024_02 OWNER TO drift_maker;
