-- as owner
INSERT INTO retention.job (name, description, schedules, policies)
VALUES ('notes', '', ARRAY['@hourly']::text[], ARRAY['notes_old']::text[])
ON CONFLICT (name) DO UPDATE SET
    description = excluded.description, schedules = excluded.schedules, policies = excluded.policies;

-- to drop it
DELETE FROM retention.job WHERE name = 'notes';
