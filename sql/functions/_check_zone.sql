-- Refuses another time zone for the install while a hold in force goes by an instant: it is kept as text in
-- the zone, and rows would be spelled in the other. Raises 55000.
CREATE OR REPLACE FUNCTION retention._check_zone(p_zone text) RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_zone CONSTANT text := (SELECT i.time_zone FROM retention.install i);
    v_holds record;
BEGIN
    IF v_zone = p_zone OR v_zone IS NULL THEN
        RETURN;
    END IF;
    WITH RECURSIVE part AS (
        SELECT h.id, a.atttypid AS type
        FROM retention.hold h
        JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace)
          ON n.nspname || '.' || c.relname = h.table_name
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
         AND CASE WHEN h.by_column IS NOT NULL THEN a.attname = h.by_column
             ELSE a.attnum IN (SELECT k.attnum FROM retention._key_columns(c.oid) k) END
        WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > clock_timestamp())
        UNION  -- what a domain, an array, a range or a row is made of
        SELECT p.id, x.type
        FROM part p JOIN pg_type y ON y.oid = p.type
        CROSS JOIN LATERAL (
            SELECT y.typbasetype UNION ALL SELECT y.typelem
            UNION ALL SELECT r.rngsubtype FROM pg_range r WHERE y.oid IN (r.rngtypid, r.rngmultitypid)
            UNION ALL SELECT a.atttypid FROM pg_attribute a WHERE a.attrelid = y.typrelid AND a.attnum > 0) x (type)
        WHERE x.type <> 0
    )
    SELECT count(*) AS n, min(p.id) AS id INTO v_holds FROM part p WHERE p.type = 'timestamptz'::regtype;
    IF v_holds.n > 0 THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('install.time_zone cannot change from %s to %s: hold %s%s by an instant is kept as text in that zone',
                             v_zone, p_zone, v_holds.id, CASE WHEN v_holds.n > 1 THEN format(' and %s more', v_holds.n - 1) END),
            HINT = 'Pause the policies (retention.pause), release these holds, migrate, place them again, and resume.';
    END IF;
END
$function$;
REVOKE ALL ON FUNCTION retention._check_zone(text) FROM PUBLIC;
