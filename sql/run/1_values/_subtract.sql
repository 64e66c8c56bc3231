-- Counts minus earlier counts, key by key; what comes to zero is left out.
CREATE OR REPLACE FUNCTION retention._subtract(p_after jsonb, p_before jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $function$
    SELECT coalesce(jsonb_object_agg(a.key, a.value::bigint - coalesce(p_before ->> a.key, '0')::bigint)
                    FILTER (WHERE a.value::bigint <> coalesce(p_before ->> a.key, '0')::bigint), '{}')
    FROM jsonb_each_text(p_after) a
$function$;
