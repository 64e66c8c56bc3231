-- Events are grouped; files are made of blobs that several may share.
CREATE TABLE groupedmessage (
    id bigint PRIMARY KEY,
    project_id bigint NOT NULL,
    last_seen timestamptz NOT NULL
);
CREATE TABLE grouphash (id bigint PRIMARY KEY, group_id bigint, hash text NOT NULL);
CREATE INDEX ON grouphash (group_id);
CREATE TABLE grouptagvalue (
    id bigint PRIMARY KEY,
    project_id bigint NOT NULL,
    group_id bigint NOT NULL,
    last_seen timestamptz
);
CREATE INDEX ON grouptagvalue (group_id);
CREATE TABLE event (
    id bigint PRIMARY KEY,
    project_id bigint NOT NULL,
    group_id bigint,
    datetime timestamptz NOT NULL
);
CREATE INDEX ON event (group_id);
CREATE TABLE eventmapping (
    id bigint PRIMARY KEY,
    project_id bigint NOT NULL,
    event_id text NOT NULL,
    date_added timestamptz NOT NULL
);
CREATE TABLE lostpasswordhash (
    id bigint PRIMARY KEY,
    hash text NOT NULL,
    date_added timestamptz NOT NULL
);
CREATE TABLE fileblob (
    id bigint PRIMARY KEY,
    path text,
    "timestamp" timestamptz NOT NULL
);
CREATE TABLE file (
    id bigint PRIMARY KEY,
    blob_id bigint REFERENCES fileblob
);
CREATE INDEX ON file (blob_id);
CREATE TABLE fileblobindex (
    file_id bigint NOT NULL REFERENCES file,
    blob_id bigint NOT NULL REFERENCES fileblob,
    "offset" integer NOT NULL,
    PRIMARY KEY (file_id, blob_id, "offset")
);
CREATE INDEX ON fileblobindex (blob_id);
