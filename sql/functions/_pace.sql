-- How fast a policy's last runs went, in rows taken a second, and how many runs that rests on: the median of the
-- last five that ended well and took 1000 rows or more. NULL and 0 when there are none.
CREATE OR REPLACE FUNCTION retention._pace(p_policy text, OUT rows_per_second double precision, OUT runs integer)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY r.taken / r.seconds), count(*)::integer
    FROM (SELECT r.taken, greatest(extract(epoch FROM r.ended_at - r.started_at), 0.001)::double precision AS seconds
          FROM retention.run r
          WHERE r.policy = p_policy AND r.state IN ('done', 'more') AND NOT r.dry_run AND r.taken >= 1000
          ORDER BY r.id DESC LIMIT 5) r
$function$;
