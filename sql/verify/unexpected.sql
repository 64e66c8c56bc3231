-- Returns the differences between the catalog and the dependencies of policies. There is one row
-- for each cause. A cause is a difference, the owner of several objects, or the role with
-- privileges on several tables.
-- $1: names of policies
-- $2: the table of each policy
-- The sentence that _changed_dependencies() returns has the difference, then "; ", then the remedy.
-- Columns of the result:
-- - policies: the policies that the cause stops, sorted
-- - table: the table of the first policy
-- - reasons: the differences, as runs report them when they trip
-- - owner, grantee: the owner, or the role with privileges, as in 'role "x"'; '' if the cause is a
--   difference
-- - things: the objects of the owner, or the tables on which the role has privileges
-- - hint: the statements that take the privileges away, or the hint of the runtime
WITH difference AS (
    SELECT u.policy, w.table_name, split_part(u.why, '; ', 1) AS why, u.why AS sentence,
           substring(u.why FROM ' belongs to (role ".+"), which is not trusted') AS owner,
           substring(u.why FROM '^(role ".+"|everybody \(PUBLIC\)) has [A-Z]+.* on table .*; REVOKE ') AS grantee,
           substring(u.why FROM '^(role ".+") may create in schema ') AS creator
    FROM retention._changed_dependencies(ARRAY(SELECT p FROM retention.policy p WHERE p.name = ANY ($1))) u
    JOIN unnest($1::text[], $2::text[]) AS w (name, table_name) ON w.name = u.policy
), fault AS ( -- what the owner of several objects may do besides has the same cause
    SELECT d.policy, d.table_name, d.why, d.sentence, coalesce(d.owner, o.name) AS owner,
           CASE WHEN o.name IS NULL THEN d.grantee END AS grantee
    FROM difference d
    LEFT JOIN (SELECT x.owner AS name FROM difference x GROUP BY 1 HAVING count(DISTINCT x.why) > 1) o
           ON d.owner IS NULL AND o.name IN (d.grantee, d.creator)
), cause AS (
    SELECT f.owner, f.grantee, min(f.policy) AS policy, array_agg(DISTINCT f.policy ORDER BY f.policy) AS policies,
           (array_agg(f.table_name ORDER BY f.policy))[1] AS object,
           array_agg(DISTINCT f.why ORDER BY f.why) AS reasons,
           coalesce(min(f.sentence) FILTER (WHERE f.sentence LIKE '% belongs to role %'), min(f.sentence)) AS sentence,
           string_agg(DISTINCT split_part(f.sentence, '; ', 2) || ';', ' ') AS revokes,
           array_remove(array_agg(DISTINCT CASE WHEN f.owner IS NOT NULL
               THEN substring(f.why FROM '^(.*) belongs to role "') ELSE substring(f.why FROM ' on table (.*)$') END),
               NULL) AS things
    FROM fault f GROUP BY f.owner, f.grantee, CASE WHEN f.owner IS NULL AND f.grantee IS NULL THEN f.sentence END
)
SELECT c.policies, c.object AS "table", c.reasons, coalesce(c.owner, '') AS owner, coalesce(c.grantee, '') AS grantee,
       c.things, CASE WHEN c.grantee IS NOT NULL THEN c.revokes
                      ELSE retention._trip_hint('catalog', NULL, c.sentence) END AS hint
FROM cause c
ORDER BY c.policy, c.reasons
