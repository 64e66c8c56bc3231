-- as owner
INSERT INTO retention.job (name, description, schedules, policies, strict, scope)
VALUES ('notes', '', ARRAY['@hourly']::text[], ARRAY['notes_old']::text[], false, NULL)
ON CONFLICT (name) DO UPDATE SET description = excluded.description, schedules = excluded.schedules,
    policies = excluded.policies, strict = excluded.strict, scope = excluded.scope,
        installed_at = excluded.installed_at;

-- to drop it
DELETE FROM retention.job WHERE name = 'notes';
