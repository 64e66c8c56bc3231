-- as owner
INSERT INTO retention.job (name, description, schedules, policies)
VALUES ('often', '', ARRAY['*/5 * * * *']::text[], ARRAY['notes_cap']::text[])
ON CONFLICT (name) DO UPDATE SET
    description = excluded.description, schedules = excluded.schedules, policies = excluded.policies;

-- to drop it
DELETE FROM retention.job WHERE name = 'often';
