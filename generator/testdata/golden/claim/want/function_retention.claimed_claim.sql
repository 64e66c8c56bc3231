-- as worker
-- Claims a key of policy claimed: true for one of all who ask for it, as the function of many keys says.
CREATE OR REPLACE FUNCTION retention.claimed_claim(p_key character varying, p_ttl interval DEFAULT NULL) RETURNS boolean
LANGUAGE sql AS $function$
    SELECT EXISTS (SELECT FROM retention.claimed_claim(ARRAY[p_key], p_ttl))
$function$;

-- to drop it
