-- Findings on differences between the catalog and the dependencies of policies. A difference that
-- stops several policies is one finding, which names all of them.
-- $1: names of policies
-- $2: the table of each policy
-- The sentence that _changed_dependencies() returns has the difference, then "; ", then the remedy.
SELECT min(x.policy) AS policy, array_agg(x.policy) AS policies,
    (array_agg(x.table_name ORDER BY x.policy))[1] AS object,
       format(CASE count(*) WHEN 1 THEN 'policy %s was' ELSE 'policies %s were' END
              || ' not generated for this catalog: %s',
              string_agg(format('"%s"', x.policy), ', ' ORDER BY x.policy), x.why) AS message,
       'Runs trip, and take no row, until the cause is removed.' AS detail,
       retention._trip_hint('catalog', NULL, min(x.sentence)) AS hint
FROM (SELECT u.policy, w.table_name, split_part(u.why, '; ', 1) AS why, u.why AS sentence
      FROM retention._changed_dependencies(ARRAY(SELECT p FROM retention.policy p WHERE p.name = ANY ($1))) u
      JOIN unnest($1::text[], $2::text[]) AS w (name, table_name) ON w.name = u.policy) x
GROUP BY x.why, x.sentence
ORDER BY 1
