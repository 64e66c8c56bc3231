-- How many rows a table holds: what the last ANALYZE or VACUUM saw, scaled to today's size as the planner does. NULL
-- when it was never analysed.
CREATE OR REPLACE FUNCTION retention._estimated_rows(p_table oid) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN (
        WITH RECURSIVE member AS (
            SELECT p_table AS rel
            UNION ALL SELECT i.inhrelid FROM member m JOIN pg_inherits i ON i.inhparent = m.rel
        )
        SELECT CASE WHEN bool_or(c.reltuples < 0 AND pg_relation_size(c.oid) > 0) THEN NULL
                    ELSE sum(CASE WHEN c.relpages > 0
                                  THEN c.reltuples / c.relpages * pg_relation_size(c.oid)
                                       / current_setting('block_size')::bigint
                                  ELSE 0 END)::bigint END
        FROM member m JOIN pg_class c ON c.oid = m.rel
        WHERE c.relkind = 'r');
END $function$;
