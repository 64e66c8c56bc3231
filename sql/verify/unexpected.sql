-- Findings on what policies were not made for in the catalog; what stops several policies is said once, with all policies. $1: names of
-- policies; $2: the table of each. The runtime answers what is wrong, "; ", and what to do, as a statement without its
-- semicolon or in words.
SELECT min(x.policy) AS policy, array_agg(x.policy) AS policies, (array_agg(x.table_name ORDER BY x.policy))[1] AS object,
       format(CASE count(*) WHEN 1 THEN 'policy %s was' ELSE 'policies %s were' END || ' not made for this catalog: %s',
              string_agg(format('"%s"', x.policy), ', ' ORDER BY x.policy), x.why) AS message,
       'Runs trip and touch nothing until that is mended.' AS detail,
       CASE WHEN x.mend IS NULL THEN 'Take the table out of "protect", or out of the policy.'
            WHEN starts_with(x.mend, 'list') THEN 'List the role under "trust" of the install, or give what it owns to another role.'
            WHEN starts_with(x.mend, 'undo') THEN 'Undo it, or run "pgretain snapshot", then "pgretain generate", and migrate.'
            WHEN starts_with(x.mend, 'rows') THEN 'Take the policy out, or run it where the rows are.'
            ELSE x.mend || ';' END AS hint
FROM (SELECT u.policy, w.table_name, split_part(u.why, '; ', 1) AS why,
             CASE WHEN strpos(u.why, '; ') > 0 THEN substr(u.why, strpos(u.why, '; ') + 2) END AS mend
      FROM retention._unexpected(ARRAY(SELECT p FROM retention.policy p WHERE p.name = ANY ($1))) u
      JOIN unnest($1::text[], $2::text[]) AS w (name, table_name) ON w.name = u.policy) x
GROUP BY x.why, x.mend
ORDER BY 1
