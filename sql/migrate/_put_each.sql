-- _put_each writes a policy that exists once for each schema or shard. It creates the first
-- instance that can be created, so that an error of PostgreSQL appears when the policy is
-- installed. It drops instances of schemas and shards that the policy no longer covers.
-- An instance of an older version is re-created when its next run begins. If the instance has a run
-- in progress, that run ends before its next batch.
CREATE OR REPLACE FUNCTION retention._put_each(
    p_name text, p_placeholder text, p_schemas text, p_description text, p_script text, p_registers jsonb,
    p_shards boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_instance text;
    v_description CONSTANT text := (SELECT e.description FROM retention.each e WHERE e.name = p_name);
BEGIN
    INSERT INTO retention.each (name, placeholder, schemas, description, script, registers, shards)
    VALUES (p_name, p_placeholder, p_schemas, p_description, p_script, p_registers, p_shards)
    ON CONFLICT (name) DO UPDATE SET placeholder = excluded.placeholder, schemas = excluded.schemas,
        description = excluded.description, script = excluded.script, registers = excluded.registers,
        shards = excluded.shards;
    IF to_regclass('pg_catalog.pg_dist_local_group') IS NOT NULL
        THEN  -- a shard's archive moves between nodes: run numbers must differ
        EXECUTE format('SELECT setval(s.seq, g.groupid * 1000000000000) FROM %s g
            CROSS JOIN pg_get_serial_sequence(''retention.run'', ''id'') s (seq)
            WHERE g.groupid * 1000000000000 > coalesce(pg_sequence_last_value(s.seq), 0)',
            to_regclass('pg_catalog.pg_dist_local_group'));
    END IF;
    PERFORM retention._drop_policy(p.name) FROM retention.policy p
    WHERE starts_with(p.name, p_name || '@') AND p.name <> ALL (retention._next_instances(p_name));
    UPDATE retention.policy p SET hash = ''
    WHERE starts_with(p.name, p_name || '@') AND (p.hash <> p_registers ->> 'hash' OR v_description <> p_description);
    FOREACH v_instance IN ARRAY retention._next_instances(p_name) LOOP
        BEGIN
            PERFORM retention._lock_shard(v_instance);
            IF retention._instantiate(v_instance) THEN PERFORM retention._validate(v_instance); END IF;
            RETURN;
        -- The run of that instance reports the error.
        EXCEPTION WHEN SQLSTATE 'PR004' OR object_not_in_prerequisite_state THEN NULL;
        END;
    END LOOP;
END $function$;
