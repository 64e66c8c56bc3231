-- A network of parcel lockers: 30 tables of all kinds, in three schemas.
CREATE SCHEMA net;
CREATE SCHEMA audit;

-- Reference data, and what people want kept.
CREATE TABLE net.city (code text PRIMARY KEY, name text NOT NULL);
CREATE TABLE net.locker (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    city_code text NOT NULL REFERENCES net.city,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE net.price (locker_id bigint REFERENCES net.locker, size text, cents integer NOT NULL, PRIMARY KEY (locker_id, size));
CREATE TABLE public."user" (id bigint PRIMARY KEY, name text NOT NULL, created_at timestamptz NOT NULL, deleted_at timestamptz);
CREATE TABLE public.invoice (id bigint PRIMARY KEY, user_id bigint NOT NULL REFERENCES public."user", issued_on date NOT NULL, total numeric(12, 2));
CREATE TABLE public.schema_migrations (version bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());

-- A parcel, its parts, what refers to it, and what goes with it.
CREATE TABLE net.parcel (
    id uuid PRIMARY KEY,
    locker_id bigint NOT NULL REFERENCES net.locker,
    user_id bigint REFERENCES public."user" ON DELETE SET NULL,
    delivered_at timestamptz,
    created_at timestamptz NOT NULL
);
CREATE INDEX ON net.parcel (delivered_at);
CREATE TABLE net.parcel_label (parcel_id uuid NOT NULL REFERENCES net.parcel, no integer, body text, PRIMARY KEY (parcel_id, no));
CREATE TABLE net.parcel_scan (
    id bigint PRIMARY KEY,
    parcel_id uuid NOT NULL REFERENCES net.parcel ON DELETE CASCADE,
    scanned_by bigint,
    recorded_at timestamp(3) NOT NULL
);
CREATE INDEX ON net.parcel_scan (parcel_id);
CREATE TABLE net.scan_photo (scan_id bigint PRIMARY KEY REFERENCES net.parcel_scan ON DELETE CASCADE, photo bytea NOT NULL);
CREATE TABLE net.claim (id bigint PRIMARY KEY, parcel_id uuid REFERENCES net.parcel, text text NOT NULL);
CREATE INDEX ON net.claim (parcel_id);
CREATE TABLE net.survey (id bigint PRIMARY KEY, parcel_id uuid REFERENCES net.parcel ON DELETE SET NULL, stars smallint);
CREATE INDEX ON net.survey (parcel_id);

-- Tables that grow.
CREATE TABLE public.session (token text PRIMARY KEY, user_id bigint NOT NULL REFERENCES public."user" ON DELETE CASCADE, expires_at timestamptz NOT NULL);
CREATE TABLE public.pickup_code (id bigint PRIMARY KEY, "validUntil" timestamptz NOT NULL, code text NOT NULL);
CREATE TABLE public.outbox (id bigint PRIMARY KEY, payload jsonb NOT NULL, created_at timestamptz NOT NULL, processed_at timestamptz);
CREATE TABLE public.event (id bigint PRIMARY KEY, kind text NOT NULL, at timestamptz NOT NULL);
CREATE TABLE audit.event (id bigint PRIMARY KEY, actor text, at timestamptz NOT NULL);
CREATE TABLE net."Door Log" ("Id" bigint PRIMARY KEY, "lockerId" bigint REFERENCES net.locker, "createdAt" timestamptz NOT NULL);
CREATE TABLE net.reading (
    sensor bigint,
    at timestamptz NOT NULL,
    celsius real,
    PRIMARY KEY (sensor, at)
) PARTITION BY RANGE (at);
CREATE TABLE net.reading_2026_10 PARTITION OF net.reading FOR VALUES FROM ('2026-10-01') TO ('2026-11-01');
CREATE TABLE net.reading_2026_11 PARTITION OF net.reading FOR VALUES FROM ('2026-11-01') TO ('2026-12-01');
CREATE TABLE net.heartbeat (locker_id bigint, received_ms bigint NOT NULL, PRIMARY KEY (locker_id, received_ms)) PARTITION BY HASH (locker_id);
CREATE TABLE net.heartbeat_0 PARTITION OF net.heartbeat FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE net.heartbeat_1 PARTITION OF net.heartbeat FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE net.message (
    id bigint PRIMARY KEY,
    answers bigint REFERENCES net.message ON DELETE CASCADE,
    user_id bigint REFERENCES public."user" ON DELETE CASCADE,
    sent_at timestamptz
);
CREATE INDEX ON net.message (answers);
CREATE TABLE net.ticket (
    id bigint PRIMARY KEY,
    parent_id bigint REFERENCES net.ticket,
    closed_at timestamptz,
    updated_at timestamptz NOT NULL
);
CREATE INDEX ON net.ticket (parent_id);
CREATE UNLOGGED TABLE public.cache (key text PRIMARY KEY, last_used_at timestamptz NOT NULL, value bytea);
CREATE TABLE public.device_push (id bigint PRIMARY KEY, queued date NOT NULL, sent_on date);
ALTER TABLE public.device_push ENABLE ROW LEVEL SECURITY;

-- What no policy can be proposed for.
CREATE TABLE audit.access (who text, what text, at timestamptz NOT NULL);
CREATE TABLE net.alarm (id bigint PRIMARY KEY, raised_at timestamptz NOT NULL);
CREATE TABLE net.fire_alarm (PRIMARY KEY (id)) INHERITS (net.alarm);
CREATE TABLE net.counter (name text PRIMARY KEY, n bigint NOT NULL, day integer);

-- Work that may be unfinished.
CREATE TYPE net.job_state AS ENUM ('available', 'running', 'retryable', 'completed', 'discarded');
CREATE TABLE net.job (
    id bigint PRIMARY KEY,
    state net.job_state NOT NULL,
    created_at timestamptz NOT NULL,
    finalized_at timestamptz
);
CREATE TABLE net.route_request (
    id bigint PRIMARY KEY,
    status text NOT NULL CHECK (status IN ('open', 'planned', 'done', 'failed')),
    updated_at timestamptz NOT NULL
);
CREATE TABLE net.print_task (id bigint PRIMARY KEY, status text, created_at timestamptz NOT NULL);
