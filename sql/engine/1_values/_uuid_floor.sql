-- _uuid_floor returns the smallest UUID whose first 48 bits are the millisecond of a timestamp. It
-- serves UUIDs of version 7, and ULIDs stored as uuid.
CREATE OR REPLACE FUNCTION retention._uuid_floor(p_at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $function$
    SELECT (lpad(to_hex(greatest(floor(extract(epoch FROM p_at) * 1000), 0)::bigint), 12, '0') || repeat('0', 20))::uuid
$function$;
