-- as owner
INSERT INTO keeper.job (name, description, schedules, policies, strict, scope)
VALUES ('retention_log', 'built in', ARRAY['23 3 * * *']::text[], ARRAY['retention_log']::text[], false, NULL)
ON CONFLICT (name) DO UPDATE SET
    description = excluded.description, schedules = excluded.schedules, policies = excluded.policies,
    strict = excluded.strict, scope = excluded.scope, installed_at = excluded.installed_at;

-- to drop it
DELETE FROM keeper.job WHERE name = 'retention_log';
