-- The time to live in force for a claim policy: what set_window() gave it, if within the bounds, else its own.
CREATE OR REPLACE FUNCTION retention._ttl(p_policy text, p_own interval, p_at_least interval, p_at_most interval)
RETURNS interval
LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_set CONSTANT interval := (SELECT s.value FROM retention.setting s
                                WHERE s.policy = p_policy AND s.name = 'window');
BEGIN
    RETURN CASE WHEN v_set < p_at_least OR v_set > p_at_most THEN p_own ELSE coalesce(v_set, p_own) END;
END $function$;
