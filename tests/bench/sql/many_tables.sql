-- Returns statements that create $1 tables for many policies. Every third table references the one
-- before it.
SELECT string_agg(format($statement$
    CREATE TABLE public.many_%1$s (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        kind smallint NOT NULL,
        state text NOT NULL DEFAULT 'new',
        parent_id bigint%2$s,
        note text
    );
    CREATE INDEX ON public.many_%1$s (parent_id);
    ALTER TABLE public.many_%1$s OWNER TO bench_migrator;
    $statement$,
    n, CASE WHEN n % 3 = 2 THEN format(' REFERENCES public.many_%s ON DELETE CASCADE', n - 1) END), '' ORDER BY n)
FROM generate_series(1, $1) AS n
