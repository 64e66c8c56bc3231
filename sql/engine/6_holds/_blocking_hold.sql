-- _blocking_hold returns why a hold stops all runs of a policy. It returns NULL if none does. A
-- hold in force stops them if it cannot be applied (_invalid_hold), or if a "sql" step or an
-- archive changes its table.
CREATE OR REPLACE FUNCTION retention._blocking_hold(p_policy text, p_as_of timestamptz) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF NOT EXISTS (SELECT FROM retention.hold h WHERE h.released_at IS NULL) THEN RETURN NULL; END IF;
    RETURN coalesce(retention._invalid_hold(retention._hold_tables(p_policy), p_as_of), (
        SELECT format('hold %s is in force on table "%s", which a "sql" step or an archive changes: '
                      'whether it meets the held row cannot be told', h.id, h.table_name)
        FROM retention.policy p CROSS JOIN LATERAL (SELECT retention._resolve_tables(p.unguarded) AS oids) n
        CROSS JOIN retention._hold_kinds(p_as_of) h
        WHERE p.name = p_policy AND (h.table_name = ANY (p.unguarded) OR h.rel = ANY (retention._hold_owners(n.oids))
            -- A statement also changes child tables.
            OR h.rel IN (SELECT retention._descendants(n.oids)))
        ORDER BY h.id LIMIT 1));
END $function$;
