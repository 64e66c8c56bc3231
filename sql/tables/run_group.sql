-- run_group has the groups with more rows than a policy's "beyond" allows, from the start of a run
-- to its end. key: the values of "per" as text. surplus: how many rows the group has too many.
CREATE TABLE IF NOT EXISTS retention.run_group (
    run_id bigint NOT NULL, pass integer NOT NULL, ordinal bigint NOT NULL, key text[] NOT NULL,
    surplus bigint NOT NULL, PRIMARY KEY (run_id, pass, ordinal)
);
