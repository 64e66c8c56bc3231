-- Most measurements use this table. A row has about 200 bytes.
CREATE TABLE public.message (
    id bigint PRIMARY KEY,
    ts timestamptz NOT NULL,
    device text NOT NULL,
    body text NOT NULL
);
CREATE INDEX message_ts ON public.message (ts, id);

-- The policies create its index (device, ts DESC, id DESC).
CREATE TABLE public.queue (
    id bigint PRIMARY KEY,
    ts timestamptz NOT NULL,
    device text NOT NULL,
    body text NOT NULL
);

-- The policies mark and renew the rows of this table.
CREATE TABLE public.task (
    id bigint PRIMARY KEY,
    ts timestamptz NOT NULL,
    device text NOT NULL,
    body text NOT NULL,
    done boolean NOT NULL DEFAULT false
);
CREATE INDEX task_ts ON public.task (ts, id);

-- Two pages reference each letter, and are deleted with it.
CREATE TABLE public.letter (LIKE public.message, PRIMARY KEY (id));
CREATE INDEX letter_ts ON public.letter (ts, id);
CREATE TABLE public.page (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    letter_id bigint NOT NULL REFERENCES public.letter ON DELETE CASCADE
);
CREATE INDEX page_letter ON public.page (letter_id);
CREATE TABLE public.old_letter (LIKE public.letter, run_id bigint, PRIMARY KEY (id));

-- A payment refuses the deletion of one in a hundred bills.
CREATE TABLE public.bill (LIKE public.message, PRIMARY KEY (id));
CREATE INDEX bill_ts ON public.bill (ts, id);
CREATE TABLE public.payment (bill_id bigint PRIMARY KEY REFERENCES public.bill);

CREATE TABLE public.old_message (LIKE public.message, run_id bigint);
ALTER TABLE public.old_message ADD PRIMARY KEY (id);
CREATE TABLE public.daily (day date, device text, n bigint NOT NULL, PRIMARY KEY (day, device));
CREATE TABLE public.open_case (message_id bigint PRIMARY KEY);
CREATE TABLE public.tagged (messages bigint[] NOT NULL);
CREATE INDEX tagged_messages ON public.tagged USING gin (messages);

CREATE TABLE public.claimed (
    key text PRIMARY KEY,
    made_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

GRANT CREATE ON SCHEMA public TO bench_migrator;
ALTER TABLE public.message OWNER TO bench_migrator;
ALTER TABLE public.queue OWNER TO bench_migrator;
ALTER TABLE public.task OWNER TO bench_migrator;
ALTER TABLE public.letter OWNER TO bench_migrator;
ALTER TABLE public.page OWNER TO bench_migrator;
ALTER TABLE public.bill OWNER TO bench_migrator;
ALTER TABLE public.payment OWNER TO bench_migrator;
ALTER TABLE public.old_letter OWNER TO bench_migrator;
ALTER TABLE public.old_message OWNER TO bench_migrator;
ALTER TABLE public.daily OWNER TO bench_migrator;
ALTER TABLE public.claimed OWNER TO bench_migrator;
ALTER TABLE public.open_case OWNER TO bench_migrator;
ALTER TABLE public.tagged OWNER TO bench_migrator;
