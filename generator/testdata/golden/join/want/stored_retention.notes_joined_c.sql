-- as owner
-- What join c of policy notes_joined read when the last run started. Unlogged: a run does not
-- outlive a crash.
DROP TABLE IF EXISTS retention.notes_joined_c;
CREATE UNLOGGED TABLE retention.notes_joined_c AS
SELECT q.* FROM (SELECT kind, kept FROM app.config WHERE days > 0) q
WITH NO DATA;

-- to drop it
