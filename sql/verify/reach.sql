-- Returns one row of JSON with two arrays: "effects", the changes that statements of policies cause
-- directly or through foreign keys, and "keys", the foreign keys that their deletes have to
-- respect.
-- $1: an array of policies, each with acts. An act has these keys:
--   - step: its number
--   - table: the table, as schema.table
--   - event: DELETE, UPDATE or INSERT, and for partitions DETACH or DROP
-- Keys of an effect:
-- - policy, step, event
-- - rel: the OID of the changed table
-- - named: true if a statement names the table, so that statement triggers fire
-- - way: the foreign key that leads to the rows, '' if there is none
-- Keys of a key:
-- - policy, step, event
-- - key: the OID of the foreign key
-- - referenced: the OID of the table on which the key is enforced
-- - off: true if the trigger that enforces the key on this table is disabled
-- A statement of a step also changes tables that inherit from its table. A foreign key changes only
-- partitions.
-- PostgreSQL copies a foreign key for each partition of both tables. The copies for partitions of
-- the referring table have no effect.
WITH RECURSIVE declared (oid, root) AS (
    SELECT k.oid, k.oid
    FROM pg_constraint k
    WHERE k.contype = 'f' AND k.conparentid = 0 AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
    UNION ALL
    SELECT k.oid, d.root
    FROM declared d JOIN pg_constraint k ON k.conparentid = d.oid AND k.contype = 'f'
), names AS MATERIALIZED (
    SELECT c.oid, n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p')
), key AS MATERIALIZED (
    SELECT r.oid, r.conrelid AS rel, k.confrelid AS referenced, t.off,
        format('%s -> %s (%s)', p.name, c.name, r.conname) AS way,
           CASE WHEN r.confdeltype IN ('n', 'd') AND EXISTS (
                    SELECT FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
                    WHERE a.attrelid = r.conrelid AND a.attnum = ANY (coalesce(r.confdelsetcols, r.conkey))
                      AND (y.typnotnull OR a.attnotnull AND NOT EXISTS (
                     SELECT FROM pg_trigger g WHERE g.tgrelid = r.conrelid AND NOT g.tgisinternal
                       AND g.tgenabled <> 'D' AND g.tgtype & 19 = 19))
                      AND (r.confdeltype = 'n' OR NOT a.atthasdef AND a.attidentity = '' AND y.typdefault IS NULL))
                  THEN 'r'
                          ELSE r.confdeltype END AS action
    FROM declared d JOIN pg_constraint k ON k.oid = d.oid JOIN pg_constraint r ON r.oid = d.root
        AND r.conrelid = k.conrelid
    CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM pg_trigger t
                                       WHERE t.tgconstraint = k.oid AND t.tgrelid = k.confrelid
                                         AND t.tgtype & 8 <> 0 AND t.tgenabled IN ('D', 'R'))) t (off)
    JOIN names p ON p.oid = r.confrelid JOIN names c ON c.oid = r.conrelid
), edge AS MATERIALIZED (
    SELECT i.inhparent AS source, i.inhrelid AS target, NULL AS event, NOT c.relispartition AS inherits, NULL AS way
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    UNION ALL
    SELECT k.referenced, k.rel, CASE k.action WHEN 'c' THEN 'DELETE' ELSE 'UPDATE' END, false, k.way
    FROM key k WHERE k.action IN ('c', 'n', 'd') AND NOT k.off
), effect AS (
    SELECT w.policy, w.step, c.oid AS rel, w.event, true AS named, w.event IN ('DELETE', 'UPDATE') AS inherits,
        '' COLLATE "C" AS way
    FROM (SELECT p.policy, a.step, a.table, a.event
          FROM jsonb_to_recordset($1) AS p (policy text, acts jsonb)
          CROSS JOIN LATERAL jsonb_to_recordset(p.acts) AS a (step integer, "table" text, event text)) w
    JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace) ON n.nspname || '.' || c.relname = w.table
    UNION
    SELECT e.policy, e.step, x.target, coalesce(x.event, e.event), x.event IS NOT NULL, e.inherits AND x.event IS NULL,
           coalesce(x.way, e.way)
    FROM effect e JOIN edge x ON x.source = e.rel
    WHERE (x.event IS NULL OR e.event = 'DELETE') AND (e.inherits OR NOT x.inherits)
)
SELECT jsonb_build_object('effects', (
    SELECT coalesce(jsonb_agg(to_jsonb(f)), '[]')
    FROM (SELECT e.policy, e.step, e.rel, e.event, bool_or(e.named) AS named, min(e.way) AS way
          FROM effect e GROUP BY 1, 2, 3, 4) f), 'keys', (
    SELECT coalesce(jsonb_agg(to_jsonb(f)), '[]')
    FROM (SELECT DISTINCT e.policy, e.step, e.event, k.oid AS key, k.referenced, k.off
          FROM effect e JOIN key k ON k.referenced = e.rel WHERE e.event IN ('DELETE', 'DETACH', 'DROP')) f))::text
