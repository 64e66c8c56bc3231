-- as owner
-- What join c of policy notes_joined read when the last run started. Unlogged: a run does not
-- outlive a crash.
DROP TABLE IF EXISTS retention.notes_joined_c;
CREATE UNLOGGED TABLE retention.notes_joined_c AS
SELECT q.* FROM (SELECT kind, kept FROM app.config WHERE days > 0) q
WITH NO DATA;
REVOKE ALL ON retention.notes_joined_c FROM PUBLIC;
GRANT SELECT ON retention.notes_joined_c TO retention_operator, retention_viewer;
COMMENT ON TABLE retention.notes_joined_c IS 'pgretain: what join c of policy notes_joined read when the last run started';

-- to drop it
