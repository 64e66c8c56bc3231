-- run_group has the groups that have more rows than a policy's "beyond" allows. The rows of this
-- table exist from the start of a run to its end.
-- key: the values of "per" as text
-- surplus: how many rows too many the group has
CREATE TABLE IF NOT EXISTS retention.run_group (
    run_id bigint NOT NULL, pass integer NOT NULL, ordinal bigint NOT NULL, key text[] NOT NULL,
    surplus bigint NOT NULL, PRIMARY KEY (run_id, pass, ordinal)
);
