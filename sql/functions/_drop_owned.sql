-- Drops what a policy or report owns: its functions and its tables for joins, latest first. What another one owns by
-- now stays. What somebody else made to depend on them makes it fail (2BP01).
CREATE OR REPLACE FUNCTION retention._drop_owned(p_policy text) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_object text;
BEGIN
    FOR v_object IN
        SELECT o.name FROM retention.policy p, unnest(p.owns) WITH ORDINALITY o (name, n)
        WHERE p.name = p_policy AND NOT EXISTS (
            SELECT FROM retention.policy q WHERE q.name <> p_policy AND o.name = ANY (q.owns))
        ORDER BY o.n DESC
    LOOP
        EXECUTE regexp_replace(v_object, '^(ROUTINE|TABLE) ', 'DROP \1 IF EXISTS ');
    END LOOP;
END
$function$;
