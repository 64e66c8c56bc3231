-- as migrator
-- Where policy signals archives. It stays when the policy goes.
CREATE TABLE IF NOT EXISTS app.old_note AS
SELECT t.id, t.owner_id, t.kind, t.state, t.score, t.starred, t.tag, t.made_at, t.seen_at, t.expires_at,
    (NULL::bigint) AS run_id
FROM app.note t
WITH NO DATA;
CREATE UNIQUE INDEX IF NOT EXISTS pgretain_old_note_231c7eb5 ON app.old_note (id);

-- to drop it
-- The archive's rows are nowhere else: its table stays.
SELECT;
