-- _holds reports whether a hold in force may concern a policy. Every hold may concern a policy that
-- drops tables by name. If there is no unreleased hold, it reads only an index.
CREATE OR REPLACE FUNCTION retention._holds(p_policy text, p_as_of timestamptz) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_tables oid[];
BEGIN
    IF NOT EXISTS (SELECT FROM retention.hold h WHERE h.released_at IS NULL) THEN RETURN false; END IF;
    v_tables := retention._hold_tables(p_policy);
    RETURN EXISTS (SELECT FROM retention._hold_kinds(p_as_of) h
                   WHERE h.rel = ANY (v_tables) OR h.table_name IN (SELECT retention._table_name(t)
                       FROM unnest(v_tables) t)
                      OR EXISTS (SELECT FROM retention.policy p WHERE p.name = p_policy
                                 AND p.steps @? '$[*] ? (@.verb == "drop table")'));
END $function$;
