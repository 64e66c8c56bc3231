-- The application's tables before retention was added. The application fetches tracked protocols
-- every few minutes, and no column says when somebody last read them.
CREATE TABLE public.protocols (
    slug text PRIMARY KEY,
    name text NOT NULL,
    category text
);

-- The history of all protocols. It stays when a protocol is no longer tracked.
CREATE TABLE public.protocol_metrics (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug text NOT NULL REFERENCES public.protocols,
    measured_at timestamptz NOT NULL,
    tvl numeric NOT NULL,
    UNIQUE (slug, measured_at)
);

-- The protocols that the ingest fetches.
CREATE TABLE public.tracked_protocols (
    slug text PRIMARY KEY,
    name text NOT NULL
);

-- The position of the ingest for each protocol and source. There is no foreign key, because the
-- ingest may write a cursor at any time.
CREATE TABLE public.ingest_cursors (
    slug text NOT NULL,
    source text NOT NULL,
    next_from timestamptz NOT NULL,
    PRIMARY KEY (slug, source)
);
