-- _decode_clock returns the timestamp that a value of an encoded clock means. It returns the value
-- itself if it means none.
-- Because of OFFSET 0, PostgreSQL does not evaluate all branches of CASE when it plans a call with
-- a constant.
CREATE OR REPLACE FUNCTION retention._decode_clock(p_clock text, p_encoding jsonb) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT CASE WHEN x.ms BETWEEN -210866803200000 AND 9224318015999999 THEN to_timestamp(x.ms / 1000)::text
                ELSE p_clock END
    FROM (SELECT CASE
              WHEN e.kind = 'epoch_s' THEN c.clock::numeric * 1000
              WHEN e.kind = 'epoch_ms' THEN c.clock::numeric
              WHEN e.kind = 'snowflake' THEN (c.clock::bigint >> coalesce(e.shift, 0)) + coalesce(e.epoch, 0)
              WHEN e.kind = 'ulid' AND c.clock ~ '^[0-7][0-9A-HJKMNP-TV-Z]{9}' THEN (
                  SELECT sum((strpos('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(c.clock, i, 1)) - 1)
                      * 32::numeric ^ (10 - i)) FROM generate_series(1, 10) i)
              WHEN e.kind IS NOT NULL AND c.clock ~ '^[0-9a-f]{8}-[0-9a-f]{4}-' THEN (
                  'x' || translate(left(c.clock, 13), '-', ''))::bit(48)::bigint
          END AS ms
          FROM jsonb_to_record(p_encoding) e(kind text, epoch numeric, shift integer),
               (SELECT p_clock OFFSET 0) c(clock)) x
$function$;
