-- _kept_most reports whether guards and holds kept more rows than a batch took. For the start of a
-- run, which is batch 0, it looks at the last run of the policy.
CREATE OR REPLACE FUNCTION retention._kept_most(p_run retention.run, p_batch integer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $function$
BEGIN
    RETURN coalesce((SELECT x.taken < (SELECT sum(k.value::bigint) FROM jsonb_each_text(x.kept) k) FROM (
        SELECT b.taken, b.kept FROM retention.batch b WHERE (b.run_id, b.n) = (p_run.id, p_batch) AND p_batch > 0
        UNION ALL
        (SELECT r.taken, r.kept FROM retention.run r WHERE r.policy = p_run.policy AND r.id < p_run.id AND p_batch = 0
         ORDER BY r.id DESC LIMIT 1)) x), false);
END $function$;
