-- as worker
-- Claims a key of policy loans: true for one of all who ask for it, as the function of many keys says.
CREATE OR REPLACE FUNCTION retention.loans_claim(p_key bigint, p_ttl interval DEFAULT NULL) RETURNS boolean LANGUAGE sql
AS $function$
    SELECT EXISTS (SELECT FROM retention.loans_claim(ARRAY[p_key], p_ttl))
$function$;

-- to drop it
