DO $$ BEGIN CREATE ROLE drift_clerk; EXCEPTION WHEN duplicate_object THEN END $$;
GRANT UPDATE (released_at) ON retention.hold TO retention_operator;
GRANT TRIGGER ON retention.hold TO retention_operator;
GRANT INSERT (policy, name, value) ON retention.setting TO retention_viewer;
GRANT UPDATE (value), SELECT (value) ON retention.setting TO PUBLIC;
GRANT REFERENCES (id) ON retention.run TO retention_runner;
-- Others may be let in to read, and not to write.
GRANT SELECT ON retention.run TO drift_clerk;
GRANT DELETE ON retention.batch TO drift_clerk;
