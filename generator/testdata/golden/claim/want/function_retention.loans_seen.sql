-- as worker
-- Whether a key of policy loans is claimed now: true exactly when a claim of it would be refused.
CREATE OR REPLACE FUNCTION retention.loans_seen(p_key bigint) RETURNS boolean LANGUAGE sql AS $function$
    SELECT EXISTS (SELECT FROM retention.loans_seen(ARRAY[p_key]))
$function$;

-- to drop it
