-- The value of a column of a registry table that is written as JSON.
(SELECT (jsonb_populate_record(NULL::registry_table, registry_value)).registry_column)
