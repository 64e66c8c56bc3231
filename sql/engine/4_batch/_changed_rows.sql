-- _changed_rows returns how many rows this transaction has deleted or updated in each table,
-- including rows that foreign keys changed. It reads PostgreSQL's statistics of the transaction.
CREATE OR REPLACE FUNCTION retention._changed_rows(p_tables text[]) RETURNS jsonb
LANGUAGE plpgsql VOLATILE AS $function$
BEGIN  -- in PL/pgSQL, which caches the plan
    RETURN (SELECT coalesce(jsonb_object_agg(x.name, x.changed), '{}')
            FROM (SELECT t.name, sum(pg_stat_get_xact_tuples_deleted(b) + pg_stat_get_xact_tuples_updated(b)) AS changed
                  FROM unnest(p_tables) t (name), retention._descendants(ARRAY[retention._table(t.name)]) b
                  GROUP BY t.name) x);
END $function$;
