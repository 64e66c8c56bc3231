-- Three tables of daily partitions, and smaller ones that are swept by row.
CREATE TABLE v1_runs_olap (
    tenant_id uuid NOT NULL,
    id bigint NOT NULL,
    inserted_at date NOT NULL,
    readable_status text NOT NULL,
    PRIMARY KEY (inserted_at, id)
) PARTITION BY RANGE (inserted_at);
CREATE TABLE v1_tasks_olap (
    tenant_id uuid NOT NULL,
    id bigint NOT NULL,
    inserted_at date NOT NULL,
    display_name text NOT NULL,
    PRIMARY KEY (inserted_at, id)
) PARTITION BY RANGE (inserted_at);
CREATE TABLE v1_payload (
    tenant_id uuid NOT NULL,
    id bigint NOT NULL,
    inserted_at date NOT NULL,
    inline_content jsonb,
    PRIMARY KEY (inserted_at, id)
) PARTITION BY RANGE (inserted_at);

CREATE TABLE v1_runs_olap_20260128 PARTITION OF v1_runs_olap FOR VALUES FROM ('2026-01-28') TO ('2026-01-29');
CREATE TABLE v1_runs_olap_20260129 PARTITION OF v1_runs_olap FOR VALUES FROM ('2026-01-29') TO ('2026-01-30');
CREATE TABLE v1_runs_olap_20260130 PARTITION OF v1_runs_olap FOR VALUES FROM ('2026-01-30') TO ('2026-01-31');
CREATE TABLE v1_runs_olap_20260228 PARTITION OF v1_runs_olap FOR VALUES FROM ('2026-02-28') TO ('2026-03-01');
CREATE TABLE v1_runs_olap_20260301 PARTITION OF v1_runs_olap FOR VALUES FROM ('2026-03-01') TO ('2026-03-02');
CREATE TABLE v1_runs_olap_20260302 PARTITION OF v1_runs_olap FOR VALUES FROM ('2026-03-02') TO ('2026-03-03');
CREATE TABLE v1_tasks_olap_20260129 PARTITION OF v1_tasks_olap FOR VALUES FROM ('2026-01-29') TO ('2026-01-30');
CREATE TABLE v1_tasks_olap_20260130 PARTITION OF v1_tasks_olap FOR VALUES FROM ('2026-01-30') TO ('2026-01-31');
-- A system that stood still for long: even the newest partition is old, and stays.
CREATE TABLE v1_payload_20251130 PARTITION OF v1_payload FOR VALUES FROM ('2025-11-30') TO ('2025-12-01');
CREATE TABLE v1_payload_20251201 PARTITION OF v1_payload FOR VALUES FROM ('2025-12-01') TO ('2025-12-02');

CREATE TABLE payload_offload (
    key text PRIMARY KEY,
    inserted_on date NOT NULL
);
CREATE TABLE worker (
    id uuid PRIMARY KEY,
    last_heartbeat_at timestamp,
    created_at timestamp NOT NULL
);
CREATE TABLE user_session (
    id uuid PRIMARY KEY,
    expires_at timestamp NOT NULL
);
CREATE TABLE queue_item (
    id bigint PRIMARY KEY,
    is_queued boolean NOT NULL
);
