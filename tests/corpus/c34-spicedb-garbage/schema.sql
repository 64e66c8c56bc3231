-- Relationships with versions: a row lives from created_xid to deleted_xid, and a row that nobody
-- deleted has the greatest xid there can be.
CREATE TABLE relation_tuple (
    namespace text NOT NULL,
    object_id text NOT NULL,
    relation text NOT NULL,
    userset_namespace text NOT NULL,
    userset_object_id text NOT NULL,
    userset_relation text NOT NULL,
    created_xid xid8 NOT NULL,
    deleted_xid xid8 NOT NULL DEFAULT '9223372036854775807',
    expiration timestamptz,
    PRIMARY KEY (namespace, object_id, relation, userset_namespace, userset_object_id, userset_relation, created_xid, deleted_xid)
);
CREATE INDEX relation_tuple_garbage ON relation_tuple (deleted_xid);

CREATE TABLE namespace_config (
    namespace text NOT NULL,
    serialized_config bytea NOT NULL,
    created_xid xid8 NOT NULL,
    deleted_xid xid8 NOT NULL DEFAULT '9223372036854775807',
    PRIMARY KEY (namespace, created_xid, deleted_xid)
);

CREATE TABLE relation_tuple_transaction (
    xid xid8 PRIMARY KEY,
    snapshot pg_snapshot NOT NULL,
    "timestamp" timestamp NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')
);
