-- A foreign key that leads from deletes of a policy to a table on which a hold is in force, and that was not
-- there when the policy's guards were made, which follow others: in a sentence, NULL for none.
CREATE OR REPLACE FUNCTION retention._unknown_key(p_policy text, p_as_of timestamptz) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._known(p_policy);
    v_key record;
    v_hold record;
BEGIN
    IF NOT EXISTS (SELECT FROM retention.hold h WHERE h.released_at IS NULL AND h.table_name = ANY (v_policy.reach)
                     AND (h.until IS NULL OR h.until > p_as_of)) THEN
        RETURN NULL;
    END IF;
    FOR v_key IN
        SELECT k.conname, k.conrelid, k.confrelid,
               retention._table_name(k.conrelid) || CASE k.confdeltype WHEN 'c' THEN ARRAY(
                   SELECT retention._table_name(r.reached) FROM retention._reach(ARRAY[k.conrelid], '[]') r) END AS below
        FROM retention._cascades(ARRAY(SELECT retention._table(d) FROM unnest(v_policy.deletes) d)) k
        WHERE NOT retention._key_names(k) && v_policy.known_keys
        ORDER BY k.conname
    LOOP
        SELECT h.id, h.table_name INTO v_hold FROM retention.hold h
        WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
          AND h.table_name = ANY (coalesce(v_key.below, ARRAY[retention._table_name(v_key.conrelid)]))
        ORDER BY h.id LIMIT 1;
        IF FOUND THEN
            RETURN format('hold %s is on a row of "%s", to which foreign key "%s" (%s -> %s) leads, which the policy does '
                          'not know: run "pgretain snapshot" and "pgretain generate", and migrate', v_hold.id, v_hold.table_name,
                          v_key.conname, retention._table_name(v_key.confrelid), retention._table_name(v_key.conrelid));
        END IF;
    END LOOP;
    RETURN NULL;
END
$function$;
REVOKE ALL ON FUNCTION retention._unknown_key(text, timestamptz) FROM PUBLIC;
