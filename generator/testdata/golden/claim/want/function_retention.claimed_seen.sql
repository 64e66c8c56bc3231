-- as worker
-- Whether a key of policy claimed is claimed now: true exactly when a claim of it would be refused.
CREATE OR REPLACE FUNCTION retention.claimed_seen(p_key character varying) RETURNS boolean LANGUAGE sql AS $function$
    SELECT EXISTS (SELECT FROM retention.claimed_seen(ARRAY[p_key]))
$function$;

-- to drop it
