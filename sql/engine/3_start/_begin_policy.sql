-- _begin_policy begins the installation of a policy or report. It stores the description, and drops
-- the policy's functions. It also drops the tables that the policy has for stored joins, unless
-- another policy owns them. It fails if other objects depend on something that it drops.
CREATE OR REPLACE FUNCTION retention._begin_policy(p_policy text, p_description text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_drop text;
BEGIN
    FOR v_drop IN
        SELECT 'DROP ROUTINE ' || string_agg(f.oid::regprocedure::text, ', ')
        FROM unnest(ARRAY['advance', 'beyond', 'claim', 'cursor', 'drop_table', 'effects', 'groups', 'partition',
                          'related', 'report', 'rows', 'seen', 'share', 'start', 'take', 'touch']) w (suffix)
        JOIN pg_proc f ON f.proname = p_policy || '_' || w.suffix
        JOIN pg_class c ON c.oid = 'retention.policy'::regclass AND c.relnamespace = f.pronamespace
        WHERE f.proowner = c.relowner OR pg_get_userbyid(f.proowner) = 'retention_worker'
           OR w.suffix IN ('drop_table', 'partition', 'share')  -- owned by the migrating role
        HAVING count(*) > 0
        UNION ALL
        SELECT 'DROP TABLE IF EXISTS ' || string_agg(o.name, ', ') FROM retention.policy p, unnest(p.owns) o (name)
        WHERE p.name = p_policy AND NOT EXISTS (
            SELECT FROM retention.policy q WHERE q.name <> p_policy AND o.name = ANY (q.owns))
        HAVING count(*) > 0
    LOOP
        EXECUTE v_drop;
    END LOOP;
    INSERT INTO retention.policy (name, hash, description) VALUES (p_policy, '', p_description)
    ON CONFLICT (name) DO UPDATE SET description = excluded.description;
END $function$;
