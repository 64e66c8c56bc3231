-- _probe returns how many policies at the beginning of a list have no due row, by their probes. It
-- evaluates no guard and no hold. It stops at the first policy for which it cannot say so: a row
-- may be due, the table is locked, the query fails, or the mark is not the given one.
-- It locks the tables (ACCESS SHARE), compares the marks, and executes the queries. If another
-- transaction has ended meanwhile, it compares the marks again, because a schema or an index can
-- change in spite of the lock.
-- It executes only code of PostgreSQL and of the runtime, and looks up names only in pg_catalog. So
-- it need not ask whom the install trusts.
CREATE OR REPLACE FUNCTION retention._probe(p_policies text[], p_marks text[], p_as_of timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET lc_monetary = 'C' SET lc_numeric = 'C' SET lc_time = 'C'
SET transform_null_equals = off SET array_nulls = on SET row_security = off SET constraint_exclusion = off
SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0
SET timezone_abbreviations = 'Default' SET gin_fuzzy_search_limit = 0 SET lock_timeout = '100ms'
SET jit = off AS $function$
DECLARE
    v_probes retention.probe[]; v_marks text[]; v_batch retention.batch_range; v_due boolean;
    v_idle integer := 0; v_most integer; v_snapshot text;
BEGIN
    PERFORM retention._refuse_other_roles();
    PERFORM set_config('timezone', i.time_zone, true) FROM retention.install i WHERE i.time_zone <> 'UTC';
    v_batch.as_of := p_as_of;
    v_probes := ARRAY(SELECT b FROM unnest(p_policies) WITH ORDINALITY u (name, n)
                      JOIN retention.probe b ON b.policy = u.name ORDER BY u.n);
    WHILE v_idle < cardinality(v_probes) LOOP
        BEGIN
            EXECUTE format('LOCK TABLE ONLY %I.%I IN ACCESS SHARE MODE NOWAIT',
                           v_probes[v_idle + 1].schema_name, v_probes[v_idle + 1].rel_name);
            v_idle := v_idle + 1;
        EXCEPTION WHEN OTHERS THEN EXIT;
        END;
    END LOOP;
    v_snapshot := pg_current_snapshot();
    FOR v_again IN 0 .. 1 LOOP
        EXIT WHEN v_again = 1 AND pg_current_snapshot()::text = v_snapshot;
        v_marks := ARRAY(SELECT m.mark FROM unnest(p_policies[:v_idle]) WITH ORDINALITY u (name, n)
                         LEFT JOIN retention._marks(ARRAY(SELECT v FROM retention.vouched v
                             WHERE v.policy = ANY (p_policies[:v_idle]))) m ON m.policy = u.name ORDER BY u.n);
        v_most := v_idle; v_idle := 0;
        WHILE v_idle < v_most AND v_marks[v_idle + 1] = p_marks[v_idle + 1] LOOP
            IF v_again = 0 THEN
                BEGIN
                    EXECUTE 'SELECT ' || v_probes[v_idle + 1].query INTO v_due USING v_batch;
                    EXIT WHEN v_due IS DISTINCT FROM false;
                EXCEPTION WHEN OTHERS OR assert_failure THEN EXIT;
                END;
            END IF;
            v_idle := v_idle + 1;
        END LOOP;
    END LOOP;
    RETURN v_idle;
END $function$;
