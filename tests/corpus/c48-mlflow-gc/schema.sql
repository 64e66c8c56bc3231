-- Experiments and their runs are deleted in two stages; times are epoch milliseconds.
CREATE TABLE experiments (
    experiment_id integer PRIMARY KEY,
    lifecycle_stage text NOT NULL DEFAULT 'active',
    last_update_time bigint
);
CREATE TABLE runs (
    run_uuid varchar(32) PRIMARY KEY,
    experiment_id integer NOT NULL REFERENCES experiments,
    lifecycle_stage text NOT NULL DEFAULT 'active',
    deleted_time bigint,
    artifact_uri text
);
CREATE INDEX ON runs (experiment_id);
CREATE TABLE params (
    run_uuid varchar(32) NOT NULL REFERENCES runs,
    key text NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (run_uuid, key)
);
CREATE TABLE metrics (
    run_uuid varchar(32) NOT NULL REFERENCES runs,
    key text NOT NULL,
    step bigint NOT NULL DEFAULT 0,
    value double precision NOT NULL,
    PRIMARY KEY (run_uuid, key, step)
);
CREATE TABLE tags (
    run_uuid varchar(32) NOT NULL REFERENCES runs,
    key text NOT NULL,
    value text,
    PRIMARY KEY (run_uuid, key)
);
