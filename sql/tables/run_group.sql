-- The groups that hold more rows than a "beyond" policy allows, found once when a run starts, and
-- removed when it ends. key holds the values of "per" as text.
CREATE TABLE IF NOT EXISTS retention.run_group (
    run_id bigint NOT NULL, pass integer NOT NULL, ordinal bigint NOT NULL, key text[] NOT NULL,
    surplus bigint NOT NULL, PRIMARY KEY (run_id, pass, ordinal)
);
