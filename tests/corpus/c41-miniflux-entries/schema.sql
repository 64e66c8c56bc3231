-- A feed reader: entries of feeds, icons of feeds, and the hashes of entries that must not return.
CREATE TYPE entry_status AS ENUM ('unread', 'read', 'removed');
CREATE TABLE feeds (id bigint PRIMARY KEY, title text NOT NULL);
CREATE TABLE entries (
    id bigint PRIMARY KEY,
    feed_id bigint NOT NULL REFERENCES feeds ON DELETE CASCADE,
    hash text NOT NULL,
    status entry_status NOT NULL DEFAULT 'unread',
    starred boolean NOT NULL DEFAULT false,
    share_code text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    UNIQUE (feed_id, hash)
);
CREATE TABLE enclosures (
    id bigint PRIMARY KEY,
    entry_id bigint NOT NULL REFERENCES entries ON DELETE CASCADE,
    url text NOT NULL
);
CREATE INDEX ON enclosures (entry_id);
CREATE TABLE entry_tombstones (
    feed_id bigint NOT NULL REFERENCES feeds ON DELETE CASCADE,
    hash text NOT NULL,
    PRIMARY KEY (feed_id, hash)
);
CREATE TABLE user_sessions (
    id bigint PRIMARY KEY,
    created_at timestamptz NOT NULL
);
CREATE TABLE icons (id bigint PRIMARY KEY, hash text NOT NULL);
CREATE TABLE feed_icons (
    feed_id bigint NOT NULL REFERENCES feeds ON DELETE CASCADE,
    icon_id bigint NOT NULL REFERENCES icons ON DELETE CASCADE,
    PRIMARY KEY (feed_id, icon_id)
);
CREATE INDEX ON feed_icons (icon_id);
