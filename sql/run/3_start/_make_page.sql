-- _make_page makes the page of a member that has none, or that of an earlier version of its policy. Other policies, and
-- reports, have theirs. Raises what _misplaced and _stamp raise.
CREATE OR REPLACE FUNCTION retention._make_page(p_policy text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF strpos(p_policy, '@') > 0 THEN
        PERFORM retention._misplaced(p_policy);
        PERFORM retention._stamp(p_policy);
    END IF;
END $function$;
