-- as owner
-- What join c of policy items read when the last run started. Unlogged: a run does not
-- outlive a crash.
DROP TABLE IF EXISTS retention.items_c;
CREATE UNLOGGED TABLE retention.items_c AS
SELECT q.* FROM (SELECT kind, max(days) AS days FROM app.config WHERE NULL::timestamptz IS NOT NULL GROUP BY kind) q
WITH NO DATA;

-- to drop it
