-- _tick returns how many policies at the beginning of a list certainly have no due row. It records
-- the time as a success of these policies: in retention.tick if they are all policies of the job,
-- otherwise in retention.total. It returns 0 if the job has a scope, or if the transaction may not
-- see the newest rows.
-- A policy can be among them only if all of this is true:
-- - It has a probe, and a run of a job in this hour found no obstacle and no due row.
-- - It has no settings.
-- - The policy's last run in this job succeeded and refused no row.
-- - _probe finds that nothing changed on which the probe rests, and that no row is due.
CREATE OR REPLACE FUNCTION retention._tick(p_job text, p_policies text[]) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET jit = off AS $function$
DECLARE v_at CONSTANT timestamptz := clock_timestamp(); v_asked record; v_all boolean; v_idle integer := 0;
BEGIN
    SELECT array_agg(u.name ORDER BY u.n) AS policies, array_agg(b.mark ORDER BY u.n) AS marks,
           bool_and(j.policies = p_policies) AS whole
    INTO v_asked
    FROM unnest(p_policies) WITH ORDINALITY u (name, n)
    JOIN retention.job j ON j.name = p_job AND j.scope IS NULL AND u.name = ANY (j.policies)
    JOIN retention.probe b ON b.policy = u.name
    JOIN retention.total t ON (t.policy, t.job, t.scope) = (u.name, p_job, '')
    WHERE b.asked_at BETWEEN date_trunc('hour', v_at) AND v_at
      AND t.success_run = t.last_run AND num_nulls(t.missed_run, t.refused_run) = 2
      AND NOT EXISTS (SELECT FROM retention.setting s WHERE s.policy IN (u.name, '*'))
      AND current_setting('transaction_isolation') = 'read committed';
    WHILE p_policies[v_idle + 1] = v_asked.policies[v_idle + 1] LOOP v_idle := v_idle + 1; END LOOP;
    IF v_idle > 0 THEN
        v_idle := retention._probe(v_asked.policies[:v_idle], v_asked.marks[:v_idle], v_at);
    END IF;
    IF v_idle = 0 THEN RETURN 0; END IF;
    v_all := v_asked.whole AND v_idle = cardinality(p_policies);
    IF v_all THEN
        UPDATE retention.tick k SET ticks = k.ticks + 1, at = v_at WHERE k.job = p_job AND k.policies = p_policies;
        IF FOUND THEN RETURN v_idle; END IF;
    END IF;
    UPDATE retention.total t
    SET last_success_at = greatest(t.last_success_at, x.at), caught_up_at = greatest(t.caught_up_at, x.at)
    FROM (SELECT p_policies[:v_idle], v_at WHERE NOT v_all  -- or the policies of the row that is replaced
          UNION ALL SELECT k.policies, k.at FROM retention.tick k WHERE v_all AND k.job = p_job) x (policies, at)
    WHERE t.policy = ANY (x.policies) AND (t.job, t.scope) = (p_job, '');
    IF v_all THEN
        INSERT INTO retention.tick AS k (job, policies, at) VALUES (p_job, p_policies, v_at)
        ON CONFLICT (job) DO UPDATE SET policies = excluded.policies, ticks = k.ticks + 1, at = excluded.at;
    END IF;
    RETURN v_idle;
END $function$;
