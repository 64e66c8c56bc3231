-- as owner
INSERT INTO keeper.job (name, description, schedules, policies)
VALUES ('notes', '', ARRAY['0 3 * * *']::text[], ARRAY['notes_old']::text[])
ON CONFLICT (name) DO UPDATE SET
    description = excluded.description, schedules = excluded.schedules, policies = excluded.policies;

-- to drop it
DELETE FROM keeper.job WHERE name = 'notes';
