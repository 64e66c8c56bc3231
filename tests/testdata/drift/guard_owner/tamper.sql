DO $$ BEGIN CREATE ROLE drift_guard_owner; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
ALTER TABLE app.watch OWNER TO drift_guard_owner;
GRANT SELECT ON app.watch TO PUBLIC;
