-- Returns the schemas and shards for which policies have, or should have, instances. Each has a
-- state:
-- - "made": the instance exists and is the policy file's version.
-- - "new": the next run creates or re-creates the instance.
-- - "other": the instance is the version of the installed policy, and both differ from the policy
--   file.
-- - "bare": the schema lacks the table.
-- - "unfit": the name of the schema cannot be used in the name of an instance.
-- - "gone": the schema or shard no longer exists, and the next run drops the instance.
-- $1: an array of objects with these keys:
--   - policy: its name
--   - pattern: the pattern of schemas, '' for shards
--   - name: the table without its schema
--   - hash: the hash of the instance's script
--   - shards: the shards on this server
-- kind: 'schema' or 'shard'
-- table: the table without its schema
-- run, message: the last run, and its message, if it could not create a new instance; else NULL
-- hint: the hint of the runtime for that message; NULL if it has none
-- free: a name that the unfit schema can get; NULL if there is none, or if another policy has it
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
SELECT m.policy, m.member, m.state, m.kind, m.name AS "table", r.id AS run, r.message,
       CASE WHEN r.message IS NOT NULL THEN retention._trip_hint(coalesce(r.tripped_by, 'catalog'), NULL, r.message)
           END AS hint,
       (SELECT x.free FROM (SELECT trim(regexp_replace(lower(m.member), '[^a-z0-9_]+', '_', 'g'), '_')) x (free)
        -- a schema is renamed once, whatever the number of policies
        WHERE m.state = 'unfit' AND m.policy = (SELECT min(x.policy) FROM place x WHERE x.unfit AND x.name = m.member)
          AND m.member !~ '[[:cntrl:]]' AND x.free = quote_ident(x.free)
          AND octet_length(concat(m.policy, '@', x.free)) <= 54
          AND to_regnamespace(x.free) IS NULL) AS free
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
