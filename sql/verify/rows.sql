-- Findings on registry rows against what their migrations write: missing ones, V008, and those whose columns differ. $1:
-- what to do. The wanted values come after a row of NULLs, which gives them the types of the columns.
SELECT w.wanted_place::integer AS place, CASE WHEN count(d.name) = 0 THEN 'V008' ELSE 'V009' END AS code,
       CASE 'registry_kind' WHEN 'install' THEN 'the row of the install' ELSE format('%s "%s"', 'registry_kind', w.registry_key) END
       || CASE WHEN count(d.name) = 0 THEN ' is not in the registry'
               ELSE ' differs in the registry: ' || string_agg(d.name, ', ' ORDER BY d.column_place) END AS message,
       coalesce(string_agg(d.name || ' = ' || coalesce(d.want, 'NULL'), '; ' ORDER BY d.column_place), '') AS want,
       coalesce(string_agg(d.name || ' = ' || coalesce(d.got, 'NULL'), '; ' ORDER BY d.column_place), '') AS got,
       $1::text AS hint
FROM (SELECT (NULL::registry_table).*) AS typed
CROSS JOIN LATERAL (VALUES
    registry_values
) AS w (wanted_place, registry_columns)
LEFT JOIN registry_table r ON r.registry_key = w.registry_key
LEFT JOIN LATERAL (VALUES
    registry_comparisons
) AS d (column_place, name, differs, want, got) ON d.differs AND r.registry_key IS NOT NULL
WHERE w.wanted_place > 0 AND (r.registry_key IS NULL OR d.differs)
GROUP BY w.wanted_place, w.registry_key
ORDER BY 1
