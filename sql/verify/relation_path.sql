-- For relation_facts, until the transaction's end. $1: the runtime's schema, whose names are printed without it.
SELECT set_config('search_path', format('pg_catalog, %I, pg_temp', $1::text), true)
