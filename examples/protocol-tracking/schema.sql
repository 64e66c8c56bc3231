-- The application's tables as they were before anybody thought of retention: what is tracked is
-- fetched every few minutes, and nothing says when anybody last looked at it.
CREATE TABLE public.protocols (
    slug text PRIMARY KEY,
    name text NOT NULL,
    category text
);

-- History. It outlives the tracking.
CREATE TABLE public.protocol_metrics (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug text NOT NULL REFERENCES public.protocols,
    measured_at timestamptz NOT NULL,
    tvl numeric NOT NULL,
    UNIQUE (slug, measured_at)
);

-- What the ingest fetches.
CREATE TABLE public.tracked_protocols (
    slug text PRIMARY KEY,
    name text NOT NULL
);

-- How far the ingest has come with each of them. No foreign key: the ingest writes a cursor
-- whenever it likes.
CREATE TABLE public.ingest_cursors (
    slug text NOT NULL,
    source text NOT NULL,
    next_from timestamptz NOT NULL,
    PRIMARY KEY (slug, source)
);
