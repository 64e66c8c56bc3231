-- Counts, key by key, with one more under a key.
CREATE OR REPLACE FUNCTION retention._one_more(p_counts jsonb, p_key text) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $function$
    SELECT p_counts || jsonb_build_object(p_key, coalesce((p_counts ->> p_key)::bigint, 0) + 1)
$function$;
