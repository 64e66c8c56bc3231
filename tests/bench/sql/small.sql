CREATE TABLE small_log (at timestamptz, deleted bigint);
CREATE PROCEDURE small_fill(p_due integer) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO m%s SELECT i, now() - interval ''8 days'' + i * interval ''1 ms'', ''a note''
                    FROM generate_series(1, $1) i', p_due) USING p_due;
END $$;
-- small_table creates a table whose other rows are not due, and a loop that deletes its due rows.
CREATE PROCEDURE small_table(p_due integer, p_others integer, p_owner text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE m%s (id bigint PRIMARY KEY, at timestamptz NOT NULL, note text);
        CREATE INDEX ON m%1$s (at);
        INSERT INTO m%1$s SELECT i, now(), ''a note'' FROM generate_series(%1$s + 1, %2$s + %1$s) i;
        ALTER TABLE m%1$s OWNER TO %3$I; ALTER TABLE small_log OWNER TO %3$I;', p_due, p_others, p_owner);
    EXECUTE format('CREATE PROCEDURE small_loop_%s() LANGUAGE plpgsql AS $body$
        DECLARE v_rows bigint;
        BEGIN
            LOOP
                DELETE FROM m%1$s WHERE id IN (
                    SELECT id FROM m%1$s WHERE at < now() - interval ''7 days'' ORDER BY at LIMIT 5000
                    FOR UPDATE SKIP LOCKED);
                GET DIAGNOSTICS v_rows = ROW_COUNT;
                INSERT INTO small_log VALUES (clock_timestamp(), v_rows);
                COMMIT;
                EXIT WHEN v_rows < 5000;
            END LOOP;
        END $body$', p_due);
END $$;
