-- A table with partitions that stay. The procedure adds the seven that a run drops.
CREATE TABLE day (id bigint, at date NOT NULL, body text) PARTITION BY RANGE (at);
CREATE PROCEDURE seven_days(p_first integer DEFAULT 0, p_last integer DEFAULT 6) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN p_first .. p_last LOOP
        EXECUTE format('CREATE TABLE day_%%s PARTITION OF day FOR VALUES FROM (%%L) TO (%%L)', i,
            date '2024-01-01' + i, date '2024-01-02' + i);
        EXECUTE format('ALTER TABLE day_%%s OWNER TO bench_migrator', i);
    END LOOP;
END $$;
CALL seven_days(7, 6 + %d);
ALTER TABLE day OWNER TO bench_migrator;
