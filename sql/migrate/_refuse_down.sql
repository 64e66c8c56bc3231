-- _refuse_down raises 55000 while a hold is in force, and names the holds. It ignores holds that
-- are listed in pgretain.holds_exported. A migration that drops the holds calls it first. It locks
-- retention.hold until the migration ends.
CREATE OR REPLACE FUNCTION retention._refuse_down() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_exported CONSTANT bigint[] := coalesce(nullif(current_setting('pgretain.holds_exported', true), ''), '{}');
    v_holds text[]; v_ids bigint[];
BEGIN
    LOCK TABLE retention.hold IN ACCESS EXCLUSIVE MODE;
    SELECT array_agg(format('%s on table "%s" by %s: %s', h.id, h.table_name, h.placed_by, h.reason) ORDER BY h.id),
           array_agg(h.id ORDER BY h.id)
    INTO v_holds, v_ids FROM retention.hold h
    WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > clock_timestamp()) AND h.id <> ALL (v_exported);
    IF v_ids IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('%s holds are in force, which this would drop', cardinality(v_ids)),
            DETAIL = array_to_string(v_holds[1:20], E'\n')
                || CASE WHEN cardinality(v_ids) > 20 THEN E'\n...' ELSE '' END,
            HINT = format('Release them, or have "pgretain migrate down --all --export FILE" write them to a file '
                          'first. With another tool, once they are written down elsewhere: '
                          'PGOPTIONS="-c pgretain.holds_exported=%s".', v_ids);
    END IF;
END $function$;
