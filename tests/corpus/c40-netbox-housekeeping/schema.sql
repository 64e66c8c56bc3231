-- The change log of an inventory: one row per change of any object.
CREATE TABLE core_objectchange (
    id bigint PRIMARY KEY,
    "time" timestamptz NOT NULL,
    action text NOT NULL CHECK (action IN ('create', 'update', 'delete')),
    changed_object_type_id integer NOT NULL,
    changed_object_id bigint NOT NULL
);
CREATE INDEX ON core_objectchange (changed_object_type_id, changed_object_id);
CREATE TABLE core_job (
    id bigint PRIMARY KEY,
    created timestamptz NOT NULL
);
CREATE TABLE django_session (
    session_key text PRIMARY KEY,
    expire_date timestamptz NOT NULL
);
CREATE TABLE core_configrevision (
    id bigint PRIMARY KEY,
    active boolean NOT NULL,
    data jsonb NOT NULL
);
