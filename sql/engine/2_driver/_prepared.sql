-- _prepared returns the prepared transactions that hold locks on a policy's tables, or on table
-- hold, with their owners and times. It returns NULL if there are none. pg_stat_activity does not
-- show prepared transactions.
CREATE OR REPLACE FUNCTION retention._prepared(p_policy text) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN (
        SELECT string_agg(format('prepared transaction "%s" of role "%s" has locks on %s since %s', x.gid, x.owner,
                                 x.tables, x.prepared::timestamptz(0)), '; ' ORDER BY x.prepared)
        FROM (
            SELECT p.gid, p.owner, p.prepared, string_agg(DISTINCT l.relation::regclass::text, ', ') AS tables
            FROM pg_prepared_xacts p
            JOIN pg_locks x ON x.locktype = 'transactionid' AND x.transactionid = p.transaction AND x.pid IS NULL
            JOIN pg_locks l ON l.virtualtransaction = x.virtualtransaction AND l.pid IS NULL
            WHERE p.database = current_database() AND l.locktype = 'relation' AND l.mode <> 'AccessShareLock'
              AND (l.relation = 'retention.hold'::regclass OR l.relation IN (
                SELECT b FROM retention.policy o CROSS JOIN LATERAL retention._descendants(retention._resolve_tables(
                    ARRAY(SELECT jsonb_object_keys(o.dependencies))
                    || o.table_name || o.related || o.changes || o.reach)) b
                WHERE o.name = p_policy))
            GROUP BY p.gid, p.owner, p.prepared) x);
END $function$;
