-- _next_instances returns the instances of a policy. Instances that never ran come first, then the
-- others by the time of their last run.
CREATE OR REPLACE FUNCTION retention._next_instances(p_each text) RETURNS text[]
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $function$
    SELECT coalesce(array_agg(x.member ORDER BY x.last NULLS FIRST, x.member), '{}') FROM (
        SELECT concat(e.name, '@', p.place) AS member,
               (SELECT max(r.id) FROM retention.run r WHERE r.policy = concat(e.name, '@', p.place)) AS last
        FROM retention.each e CROSS JOIN LATERAL retention._instances(e) p WHERE e.name = p_each) x
$function$;
