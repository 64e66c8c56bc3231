-- as owner
DELETE FROM keeper.policy WHERE name = 'notes_old';
INSERT INTO keeper.policy
    (name, table_name, hash, description, definition, owns, grants, passes, deletes, changes, writes, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('notes_old', 'app.note', 'd94a6c0031af', 'The owner''s notes: kept for a week.',
     'Deletes rows of app.note whose made_at is older than 7 days.; keeps reviewed: EXISTS (SELECT FROM review WHERE note_id = t.id)',
     ARRAY['ROUTINE keeper.notes_old_rows(keeper.slice)', 'ROUTINE keeper.notes_old_share()', 'ROUTINE keeper.notes_old_take(keeper.slice)']::text[],
     '{"ROUTINE keeper.notes_old_rows(keeper.slice)":["keeper_operator","keeper_viewer"],"ROUTINE keeper.notes_old_share()":["keeper_owner"]}',
     '[{"cursor":[["t.made_at","timestamptz"],["t.id","bigint"]],"range":true,"bound":"t.made_at < keeper._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''America/New_York'')","guarded":true,"share":"notes_old_share"}]',
     ARRAY['app.note']::text[], ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_object('clock', 't.made_at', 'value', 't.made_at', 'from', 'FROM app.note t', 'too_far', 't.made_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.made_at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT keeper._prove('notes_old');

-- to drop it
SELECT keeper._drop_policy('notes_old');
