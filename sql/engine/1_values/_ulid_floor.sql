-- _ulid_floor returns the smallest ULID of the millisecond of a timestamp, as upper-case text.
CREATE OR REPLACE FUNCTION retention._ulid_floor(p_at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $function$
    SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ',
                             ((m.ms >> (5 * i)) & 31)::integer + 1, 1), '' ORDER BY i DESC)
           || repeat('0', 16)
    FROM (SELECT greatest(floor(extract(epoch FROM p_at) * 1000), 0)::bigint AS ms) m, generate_series(0, 9) AS i
$function$;
