-- Files that builds leave, and notices to the administrator; times are epoch seconds.
CREATE TABLE action_artifact (
    id bigint PRIMARY KEY,
    status bigint NOT NULL,             -- 1 uploading, 2 confirmed, 3 failed, 4 expired
    expired_unix bigint,
    storage_path text NOT NULL
);
CREATE TABLE notice (
    id bigint PRIMARY KEY,
    description text,
    created_unix bigint NOT NULL
);
