-- _clock_fault returns a sentence if values of an encoded clock of a policy contradict its
-- encoding. Otherwise it returns NULL.
CREATE OR REPLACE FUNCTION retention._clock_fault(p_policy text, p_as_of timestamptz) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT e.fault FROM retention._clock_evidence(p_policy, p_as_of) e WHERE e.fault IS NOT NULL LIMIT 1
$function$;
