-- The groups with more rows than "beyond" allows, from a run's start to its end. key: the values of "per" as text.
CREATE TABLE IF NOT EXISTS retention.run_group (
    run_id bigint NOT NULL, pass integer NOT NULL, ordinal bigint NOT NULL, key text[] NOT NULL,
    surplus bigint NOT NULL, PRIMARY KEY (run_id, pass, ordinal)
);
