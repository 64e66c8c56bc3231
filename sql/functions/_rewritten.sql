-- A rule that rewrites statements of a policy, or those of foreign keys behind its deletes; NULL for none. Rules of
-- views are what they are; those of partitions do not count, since no statement names them.
CREATE OR REPLACE FUNCTION retention._rewritten(p_policy text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_policy CONSTANT retention.policy := retention._known(p_policy);
BEGIN
    IF NOT EXISTS (SELECT FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class AND c.relkind IN ('r', 'p', 'f')) THEN
        RETURN NULL;
    END IF;
    RETURN (
        SELECT format('rule "%s" on table "%s" changes what the policy does: '
                      'drop it, and write a trigger for what it did', r.rulename, retention._table_name(r.ev_class))
        FROM (SELECT c.oid, split_part(w.text, ' ', 1) AS event
              FROM unnest(v_policy.writes) w (text)
              JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace)
                ON n.nspname || '.' || c.relname = substr(w.text, strpos(w.text, ' ') + 1)
              UNION ALL SELECT k.child, CASE k.action WHEN 'c' THEN 'DELETE' ELSE 'UPDATE' END
              FROM retention._keys_reached(ARRAY(
                  SELECT retention._table(d) FROM unnest(v_policy.deletes || v_policy.statement_deletes) d)) k
              WHERE k.action IN ('c', 'n', 'd')) e
        JOIN pg_rewrite r ON r.ev_class = e.oid AND r.ev_enabled IN ('O', 'A')
         AND r.ev_type = CASE e.event WHEN 'UPDATE' THEN '2' WHEN 'INSERT' THEN '3' ELSE '4' END
        JOIN pg_class c ON c.oid = r.ev_class AND c.relkind IN ('r', 'p', 'f')
        WHERE r.is_instead OR pg_get_ruledef(r.oid) !~ '\mDO\s+NOTHING;$' ORDER BY r.rulename LIMIT 1);
END $function$;
