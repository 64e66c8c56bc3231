-- How many rows this transaction has deleted or updated in each of the given tables, by the statistics, cascades
-- included.
CREATE OR REPLACE FUNCTION retention._changed_rows(p_tables text[]) RETURNS jsonb
LANGUAGE sql VOLATILE AS $function$
    WITH RECURSIVE member AS (
        SELECT t.name, retention._table(t.name) AS rel FROM unnest(p_tables) AS t(name)
        UNION ALL SELECT m.name, i.inhrelid FROM member m JOIN pg_inherits i ON i.inhparent = m.rel
    )
    SELECT coalesce(jsonb_object_agg(x.name, x.changed), '{}')
    FROM (SELECT m.name, sum(pg_stat_get_xact_tuples_deleted(m.rel)
                             + pg_stat_get_xact_tuples_updated(m.rel)) AS changed
          FROM member m GROUP BY m.name) x
$function$;
