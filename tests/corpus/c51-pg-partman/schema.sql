-- Four partitioned tables and the table that says how long their partitions live.
CREATE SCHEMA app;
CREATE TABLE app.part_config (
    parent_table text PRIMARY KEY,
    control text NOT NULL,
    retention text,                      -- an interval, or a count of ids; NULL: for ever
    retention_keep_table boolean NOT NULL DEFAULT true
);
CREATE TABLE app.event (at timestamptz NOT NULL, id bigint NOT NULL, PRIMARY KEY (at, id)) PARTITION BY RANGE (at);
CREATE TABLE app.event_p20251101 PARTITION OF app.event FOR VALUES FROM ('2025-11-01 00:00+00') TO ('2025-12-01 00:00+00');
CREATE TABLE app.event_p20251201 PARTITION OF app.event FOR VALUES FROM ('2025-12-01 00:00+00') TO ('2026-01-01 00:00+00');
CREATE TABLE app.event_p20260101 PARTITION OF app.event FOR VALUES FROM ('2026-01-01 00:00+00') TO ('2026-02-01 00:00+00');
CREATE TABLE app.event_p20260201 PARTITION OF app.event FOR VALUES FROM ('2026-02-01 00:00+00') TO ('2026-03-01 00:00+00');
CREATE TABLE app.event_default PARTITION OF app.event DEFAULT;

CREATE TABLE app.metric (at timestamptz NOT NULL, id bigint NOT NULL, PRIMARY KEY (at, id)) PARTITION BY RANGE (at);
CREATE TABLE app.metric_p20251101 PARTITION OF app.metric FOR VALUES FROM ('2025-11-01 00:00+00') TO ('2025-12-01 00:00+00');
CREATE TABLE app.metric_p20251201 PARTITION OF app.metric FOR VALUES FROM ('2025-12-01 00:00+00') TO ('2026-01-01 00:00+00');
CREATE TABLE app.metric_p20260101 PARTITION OF app.metric FOR VALUES FROM ('2026-01-01 00:00+00') TO ('2026-02-01 00:00+00');

CREATE TABLE app.audit (at timestamptz NOT NULL, id bigint NOT NULL, PRIMARY KEY (at, id)) PARTITION BY RANGE (at);
CREATE TABLE app.audit_p20201101 PARTITION OF app.audit FOR VALUES FROM ('2020-11-01 00:00+00') TO ('2020-12-01 00:00+00');
CREATE TABLE app.audit_p20201201 PARTITION OF app.audit FOR VALUES FROM ('2020-12-01 00:00+00') TO ('2021-01-01 00:00+00');

CREATE TABLE app.item (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE app.item_p0 PARTITION OF app.item FOR VALUES FROM (0) TO (100);
CREATE TABLE app.item_p100 PARTITION OF app.item FOR VALUES FROM (100) TO (200);
CREATE TABLE app.item_p200 PARTITION OF app.item FOR VALUES FROM (200) TO (300);
