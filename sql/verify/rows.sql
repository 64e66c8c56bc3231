-- Registry rows against what their migrations write. One row per wanted one that is missing: its
-- place, false, nothing; and one per column that differs: the place, true, the column's name, the
-- wanted and the live value. The wanted values come after a row of NULLs, which gives them the types of the columns.
SELECT w.wanted_place::integer, r.registry_key IS NOT NULL, coalesce(d.name, ''), coalesce(d.want, 'NULL'), coalesce(d.got, 'NULL')
FROM (SELECT (NULL::registry_table).*) AS typed
CROSS JOIN LATERAL (VALUES
    registry_values
) AS w (wanted_place, registry_columns)
LEFT JOIN registry_table r ON r.registry_key = w.registry_key
LEFT JOIN LATERAL (VALUES
    registry_comparisons
) AS d (column_place, name, differs, want, got) ON d.differs AND r.registry_key IS NOT NULL
WHERE w.wanted_place > 0 AND (r.registry_key IS NULL OR d.differs)
ORDER BY 1, d.column_place
