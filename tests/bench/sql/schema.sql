-- What is measured on: about 200 bytes a row.
CREATE TABLE public.message (
    id bigint PRIMARY KEY,
    ts timestamptz NOT NULL,
    device text NOT NULL,
    body text NOT NULL
);
CREATE INDEX message_ts ON public.message (ts, id);

-- Its index (device, ts DESC, id DESC) comes with the policies.
CREATE TABLE public.queue (
    id bigint PRIMARY KEY,
    ts timestamptz NOT NULL,
    device text NOT NULL,
    body text NOT NULL
);

GRANT CREATE ON SCHEMA public TO bench_migrator;
ALTER TABLE public.message OWNER TO bench_migrator;
ALTER TABLE public.queue OWNER TO bench_migrator;
