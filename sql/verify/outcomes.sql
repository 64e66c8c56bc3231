-- Returns how runs of policies ended, from view job_status, if something is wrong with them. There
-- is one row for each policy, job and scope.
-- $1: policies and reports
-- scope: '' if the runs have none
-- last_state, last_run, last_message: the last run; '', 0 and '' if there is none
-- failed: how many runs in a row failed
-- mended: the last run failed, but nothing that can be seen stops the next one
-- run_again, hint: statements or sentences of the runtime for the last run, if it failed; else NULL
-- schema, table, schema_owner, table_owner: see below; NULL if the owners are right
-- missed_run, missed_at, missed_message: the last call that could not begin the policy; missed_run
--   is NULL if there is none
-- empty: how many runs in a row left due rows and took none
-- refused_run, refused, refused_message: the run that refused rows, how many, and why; refused_run
--   is NULL if there is none
-- If a run failed because an untrusted role owns the schema or the table of an instance, schema and
-- table are these objects as SQL. Tables of one schema get the owner that most other schemas have:
-- schema_owner and table_owner.
WITH status AS MATERIALIZED (
    SELECT s.*, x.failed FROM retention.job_status s
    CROSS JOIN LATERAL (SELECT s.last_state IN ('failed', 'tripped', 'abandoned') AS failed) x
    WHERE s.policy = ANY ($1::text[]) AND NOT s.superseded
      AND (x.failed OR s.empty_in_a_row >= 3 OR num_nonnulls(s.missed_run, s.refused_run) > 0)
)
SELECT s.policy, s.job, coalesce(nullif(retention._scope_text(s.scope), ''), '') AS scope,
       coalesce(s.last_state, '') AS last_state, coalesce(s.last_run, 0) AS last_run,
       coalesce(s.last_message, '') AS last_message, coalesce(s.mended, false) AS mended,
       -- An abandoned run in state 'running' is not yet in failed_in_a_row.
       s.failed_in_a_row + (SELECT count(*) FROM retention.run u
                            WHERE u.id = s.last_run AND u.state = 'running' AND s.last_state = 'abandoned') AS failed,
       CASE WHEN s.failed AND s.mended THEN retention._run_again(s.policy, s.scope) END AS run_again,
       CASE WHEN s.failed THEN retention._trip_hint(s.last_tripped_by, s.policy, s.last_message) END AS hint,
       o.schema, o."table", o.schema_owner, o.table_owner,
       m.id AS missed_run, m.ended_at AS missed_at, coalesce(m.message, '') AS missed_message,
       s.empty_in_a_row AS empty, f.id AS refused_run, coalesce(f.refused, 0) AS refused,
       coalesce((SELECT b.message FROM retention.batch b
                 WHERE b.run_id = f.id AND b.refused > 0 AND b.message IS NOT NULL
                 ORDER BY b.n LIMIT 1), '') AS refused_message
FROM status s
LEFT JOIN LATERAL (SELECT * FROM retention.run r WHERE r.id = s.missed_run OFFSET 0) m ON true
LEFT JOIN LATERAL (SELECT * FROM retention.run r WHERE r.id = s.refused_run OFFSET 0) f ON true
LEFT JOIN LATERAL (
    SELECT quote_ident(h.nspname) AS schema, format('%I.%I', h.nspname, c.relname) AS "table",
           CASE WHEN pg_get_userbyid(h.nspowner) = u.name THEN pg_get_userbyid(k.nspowner)::text END AS schema_owner,
           CASE WHEN pg_get_userbyid(c.relowner) = u.name THEN pg_get_userbyid(k.relowner)::text END AS table_owner
    FROM substring(s.last_message FROM ' belongs to role "(.+)", which is not trusted') u (name)
    CROSS JOIN LATERAL (
        SELECT c.relname, c.relowner, h.nspowner
        FROM retention.policy p
        JOIN pg_namespace h ON concat(split_part(s.policy, '@', 1), '@', h.nspname) = p.name
        JOIN pg_class c ON c.relnamespace = h.oid AND concat(h.nspname, '.', c.relname) = p.table_name
        WHERE p.name <> s.policy AND u.name NOT IN (pg_get_userbyid(c.relowner), pg_get_userbyid(h.nspowner))
        GROUP BY 1, 2, 3 ORDER BY count(*) DESC, 1, 2, 3 LIMIT 1) k
    JOIN pg_namespace h ON concat(split_part(s.policy, '@', 1), '@', h.nspname) = s.policy
    JOIN pg_class c ON c.relnamespace = h.oid AND c.relname = k.relname) o ON s.failed
WHERE s.failed OR m.id IS NOT NULL OR s.empty_in_a_row >= 3 OR f.id IS NOT NULL
ORDER BY 1, 2, 3
