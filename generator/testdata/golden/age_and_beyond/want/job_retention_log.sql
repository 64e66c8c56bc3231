-- as owner
INSERT INTO retention.job (name, description, schedules, policies)
VALUES ('retention_log', 'built in', ARRAY['23 3 * * *']::text[], ARRAY['retention_log']::text[])
ON CONFLICT (name) DO UPDATE SET
    description = excluded.description, schedules = excluded.schedules, policies = excluded.policies;

-- to drop it
DELETE FROM retention.job WHERE name = 'retention_log';
