-- Returns statements that create $1 schemas, each with a table of 100 rows. Two rows of each are due.
SELECT string_agg(format($statement$
    CREATE SCHEMA tenant_%1$s AUTHORIZATION bench_migrator;
    CREATE TABLE tenant_%1$s.message (id bigint PRIMARY KEY, created_at timestamptz NOT NULL, body text);
    INSERT INTO tenant_%1$s.message
    SELECT n, now() - n * interval '0.295 days', 'a message' FROM generate_series(1, 100) n;
    CREATE INDEX ON tenant_%1$s.message (created_at, id);
    ALTER TABLE tenant_%1$s.message OWNER TO bench_migrator;
    $statement$, lpad(n::text, 4, '0')), '' ORDER BY n)
FROM generate_series(1, $1) AS n
