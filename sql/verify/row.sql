-- One registry row, column by column, against what its migration writes: the column's name,
-- whether it differs, the wanted and the live value. No rows when there is no such row.
SELECT d.name, d.differs, coalesce(d.want, 'NULL'), coalesce(d.got, 'NULL')
FROM registry_table r CROSS JOIN LATERAL (VALUES registry_columns) AS d (name, differs, want, got)
WHERE registry_key
