CREATE TABLE public.anon_stats_1d (
    id          bigint PRIMARY KEY,
    bundle      bytea,
    processed   boolean DEFAULT false,
    created_at  timestamptz NOT NULL
);

CREATE TABLE public.modifications (
    id            bigint PRIMARY KEY,
    serial_id     bigint,
    request_type  text NOT NULL,
    status        text NOT NULL,
    persisted     boolean NOT NULL DEFAULT false,
    created_at    timestamp NOT NULL
);
