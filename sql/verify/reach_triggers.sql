-- Triggers that people made and that fire in ordinary sessions. $1: oids of tables. One row per
-- table and trigger: the table's oid, the trigger's name, definition and table as declared (a
-- partition has a copy), whether it fires for each row, before the change, and on DELETE, UPDATE and
-- INSERT, its function and that function's language, whether that runs
-- with its owner's rights, whether it has a search path of its own, and its body.
WITH RECURSIVE declared (oid, root) AS (
    SELECT t.oid, t.oid FROM pg_trigger t WHERE t.tgparentid = 0 AND NOT t.tgisinternal
    UNION ALL
    SELECT t.oid, d.root FROM declared d JOIN pg_trigger t ON t.tgparentid = d.oid
)
SELECT t.tgrelid, r.tgname::text, pg_get_triggerdef(r.oid), n.nspname || '.' || c.relname,
       t.tgtype & 1 <> 0, t.tgtype & 2 <> 0, t.tgtype & 8 <> 0, t.tgtype & 16 <> 0, t.tgtype & 4 <> 0,
       fn.nspname || '.' || f.proname, l.lanname::text, f.prosecdef,
       EXISTS (SELECT FROM unnest(f.proconfig) s WHERE s LIKE 'search\_path=%'), f.prosrc
FROM declared d
JOIN pg_trigger t ON t.oid = d.oid
JOIN pg_trigger r ON r.oid = d.root
JOIN pg_class c ON c.oid = r.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_proc f ON f.oid = t.tgfoid JOIN pg_namespace fn ON fn.oid = f.pronamespace
JOIN pg_language l ON l.oid = f.prolang
WHERE t.tgrelid = ANY ($1::oid[]) AND t.tgenabled IN ('O', 'A')
ORDER BY 4, 2, 1
