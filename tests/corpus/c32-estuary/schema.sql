CREATE SCHEMA internal;

CREATE TABLE public.drafts (
    id          bigint PRIMARY KEY,
    detail      text,
    updated_at  timestamptz NOT NULL
);

CREATE TABLE public.draft_specs (
    draft_id      bigint NOT NULL REFERENCES public.drafts ON DELETE CASCADE,
    catalog_name  text NOT NULL,
    spec          json,
    PRIMARY KEY (draft_id, catalog_name)
);

CREATE TABLE public.draft_errors (
    draft_id  bigint NOT NULL REFERENCES public.drafts ON DELETE CASCADE,
    scope     text NOT NULL,
    detail    text NOT NULL
);
CREATE INDEX ON public.draft_errors (draft_id);

CREATE TABLE public.discovers (
    id        bigint PRIMARY KEY,
    draft_id  bigint NOT NULL REFERENCES public.drafts ON DELETE CASCADE
);
CREATE INDEX ON public.discovers (draft_id);

CREATE TABLE public.evolutions (
    id        bigint PRIMARY KEY,
    draft_id  bigint NOT NULL REFERENCES public.drafts ON DELETE CASCADE
);
CREATE INDEX ON public.evolutions (draft_id);

CREATE TABLE public.catalog_stats_hourly (
    catalog_name  text NOT NULL,
    grain         text NOT NULL,
    ts            timestamptz NOT NULL,
    bytes         bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (catalog_name, grain, ts)
);

CREATE TABLE internal.log_lines (
    id         bigint PRIMARY KEY,
    token      uuid NOT NULL,
    stream     text NOT NULL,
    log_line   text NOT NULL,
    logged_at  timestamptz NOT NULL
);
