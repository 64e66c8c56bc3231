-- Returns the schemas and shards for which policies have, or should have, instances. Each has a
-- state:
-- - "made": the instance exists and is the policy file's version.
-- - "new": the next run creates or re-creates the instance.
-- - "other": the instance is the version of the installed policy, and both differ from the policy
--   file.
-- - "bare": the schema lacks the table.
-- - "unfit": the name of the schema cannot be used in the name of an instance.
-- - "gone": the schema or shard no longer exists, and the next run drops the instance.
-- The message is empty for "made" and "other".
-- $1: an array of objects with these keys:
--   - policy: its name
--   - pattern: the pattern of schemas, '' for shards
--   - name: the table without its schema
--   - hash: the hash of the instance's script
--   - shards: the shards on this server
WITH wanted AS (
    SELECT w.*, e.registers ->> 'hash' AS installed
    FROM jsonb_to_recordset($1) w (policy text, pattern text, name text, hash text, shards text[])
    LEFT JOIN retention.each e ON e.name = w.policy
), place AS (
    SELECT w.policy, n.nspname::text AS name,
           NOT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = w.name) AS bare,
           n.nspname <> quote_ident(n.nspname) OR octet_length(concat(w.policy, '@', n.nspname)) > 54 AS unfit
    FROM wanted w JOIN pg_namespace n ON n.nspname LIKE replace(replace(w.pattern, '_', '!_'), '*', '%') ESCAPE '!'
    UNION ALL SELECT w.policy, x.name, false, false FROM wanted w CROSS JOIN unnest(w.shards) x (name)
)
SELECT m.policy, concat(m.policy, '@', m.member) AS object, m.member, m.state, CASE WHEN m.state IN ('new', 'gone')
    THEN 'info' ELSE 'drift' END AS severity,
       CASE m.state WHEN 'new' THEN format('the instance of policy "%s" for %s "%s" does not exist yet',
                                              m.policy, m.kind,
           m.member)
                    WHEN 'gone' THEN format('%s "%s" is gone, and the instance of policy "%s" for it is not dropped yet',
                                            m.kind, m.member, m.policy)
                    WHEN 'bare' THEN format('schema "%s" has no table "%s", for policy "%s"', m.member, m.name,
                        m.policy)
                    WHEN 'unfit' THEN format('schema "%s" cannot be an instance of policy "%s"', m.member, m.policy)
                        ELSE '' END AS message,
       CASE WHEN r.message IS NOT NULL THEN format('Its last run (%s) could not create it: %s', r.id, r.message)
            WHEN m.state = 'unfit' THEN 'Its name needs quotes, or is so long that the two together have more than 54 bytes. '
                'Runs of it fail. '
                'Instead of another name for the schema, the policy file may have another pattern.'
                    ELSE '' END AS detail,
       CASE WHEN r.message IS NOT NULL
            THEN coalesce(retention._trip_hint(coalesce(r.tripped_by, 'catalog'), NULL, r.message), 'Remove the cause that the message names. The next run tries again.')
            WHEN m.state = 'bare' THEN 'Create the table, or rename the schema, or let the pattern not match it.'
            WHEN m.state = 'unfit' THEN coalesce(
                (SELECT format('ALTER SCHEMA %I RENAME TO %s;', m.member, x.free)
                 FROM (SELECT trim(regexp_replace(lower(m.member), '[^a-z0-9_]+', '_', 'g'), '_')) x (free)
                 -- a schema is renamed once, whatever the number of policies
                 WHERE m.policy = (SELECT min(x.policy) FROM place x WHERE x.unfit AND x.name = m.member)
                   AND m.member !~ '[[:cntrl:]]' AND x.free = quote_ident(x.free)
                   AND octet_length(concat(m.policy, '@', x.free)) <= 54
                   AND to_regnamespace(x.free) IS NULL), 'Rename the schema, or let the pattern not match it.')
                    ELSE 'Nothing: the next run of the policy''s job does it.' END AS hint
FROM (
SELECT w.policy, w.name, CASE w.pattern WHEN '' THEN 'shard' ELSE 'schema' END AS kind, x.name AS member, CASE
    WHEN x.bare THEN 'bare' WHEN x.unfit THEN 'unfit'
    WHEN to_regprocedure(format('retention.%I(retention.batch_range)', concat(w.policy, '@', x.name, '_rows'))) IS NULL
        THEN 'new'
    WHEN p.hash = w.hash THEN 'made' WHEN p.hash = w.installed THEN 'other' ELSE 'new' END AS state
FROM wanted w JOIN place x USING (policy) LEFT JOIN retention.policy p ON p.name = concat(w.policy, '@', x.name)
UNION ALL
SELECT w.policy, w.name, CASE w.pattern WHEN '' THEN 'shard' ELSE 'schema' END, substr(p.name, length(w.policy) + 2),
    'gone'
FROM wanted w JOIN retention.policy p ON starts_with(p.name, w.policy || '@')
WHERE substr(p.name, length(w.policy) + 2) !~ '[^a-z0-9_]'  -- names of instances have no other characters
  AND NOT EXISTS (SELECT FROM place x WHERE concat(x.policy, '@', x.name) = p.name)
  AND NOT EXISTS (SELECT FROM pg_namespace n WHERE concat(w.policy, '@', n.nspname) = p.name)) m
LEFT JOIN LATERAL (SELECT x.id, x.message, x.tripped_by
                   FROM (SELECT * FROM retention.run o
                         WHERE o.policy = concat(m.policy, '@', m.member) AND NOT o.dry_run ORDER BY o.id DESC LIMIT 1) x
                   WHERE m.state = 'new' AND x.state IN ('failed', 'tripped')) r ON true
ORDER BY 1, 3
