-- A clock for people: the instant that a value of an encoding (facts) says, or the value where it says none.
CREATE OR REPLACE FUNCTION retention._shown(p_clock text, p_encoding jsonb) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT CASE WHEN x.ms BETWEEN -210866803200000 AND 9224318015999999 THEN to_timestamp(x.ms / 1000)::text
                ELSE p_clock END
    FROM (SELECT CASE
              WHEN e.kind = 'epoch_s' THEN p_clock::numeric * 1000
              WHEN e.kind = 'epoch_ms' THEN p_clock::numeric
              WHEN e.kind = 'snowflake' THEN (p_clock::bigint >> coalesce(e.shift, 0)) + coalesce(e.epoch, 0)
              WHEN e.kind = 'ulid' AND p_clock ~ '^[0-7][0-9A-HJKMNP-TV-Z]{9}' THEN (
                  SELECT sum((strpos('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(p_clock, i, 1)) - 1)
                      * 32::numeric ^ (10 - i)) FROM generate_series(1, 10) i)
              WHEN e.kind IS NOT NULL AND p_clock ~ '^[0-9a-f]{8}-[0-9a-f]{4}-' THEN (
                  'x' || translate(left(p_clock, 13), '-', ''))::bit(48)::bigint
          END AS ms
          FROM jsonb_to_record(p_encoding) e(kind text, epoch numeric, shift integer)) x
$function$;
