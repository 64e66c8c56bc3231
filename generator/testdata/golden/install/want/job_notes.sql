-- as owner
INSERT INTO keeper.job (name, description, schedules, policies, strict, scope)
VALUES ('notes', '', ARRAY['0 3 * * *']::text[], ARRAY['notes_old']::text[], false, NULL)
ON CONFLICT (name) DO UPDATE SET description = excluded.description, schedules = excluded.schedules,
    policies = excluded.policies, strict = excluded.strict, scope = excluded.scope,
        installed_at = excluded.installed_at;

-- to drop it
DELETE FROM keeper.job WHERE name = 'notes';
