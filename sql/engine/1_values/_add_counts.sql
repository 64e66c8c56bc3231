-- _add_counts returns the sum of two objects of counts, key by key.
CREATE OR REPLACE FUNCTION retention._add_counts(p_one jsonb, p_other jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE AS $function$
BEGIN
    IF p_other IS NULL OR p_other = '{}' OR p_one = '{}' THEN RETURN p_one || coalesce(p_other, '{}'); END IF;
    RETURN (SELECT jsonb_object_agg(x.key, x.n)
            FROM (SELECT e.key, sum(e.value::bigint) AS n
                  FROM (SELECT * FROM jsonb_each_text(p_one) UNION ALL SELECT * FROM jsonb_each_text(p_other)) e
                  GROUP BY e.key) x);
END $function$;
