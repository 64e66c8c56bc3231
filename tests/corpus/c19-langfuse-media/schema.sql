CREATE TABLE public.projects (
    id              text PRIMARY KEY,
    retention_days  integer,
    deleted_at      timestamptz
);

CREATE TABLE public.media (
    project_id   text NOT NULL,
    id           text NOT NULL,
    bucket_path  text NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (project_id, id)
);
CREATE INDEX media_project_created ON public.media (project_id, created_at);

-- Who uses a medium. None of the three has a foreign key to it.
CREATE TABLE public.trace_media (
    id          text PRIMARY KEY,
    project_id  text NOT NULL,
    media_id    text NOT NULL,
    trace_id    text NOT NULL,
    created_at  timestamptz NOT NULL
);
CREATE INDEX ON public.trace_media (project_id, media_id);

CREATE TABLE public.observation_media (
    id              text PRIMARY KEY,
    project_id      text NOT NULL,
    media_id        text NOT NULL,
    observation_id  text NOT NULL,
    created_at      timestamptz NOT NULL
);
CREATE INDEX ON public.observation_media (project_id, media_id);

-- A claim that is not valid yet is pending.
CREATE TABLE public.dataset_item_media (
    id                       text PRIMARY KEY,
    project_id               text NOT NULL,
    media_id                 text NOT NULL,
    dataset_item_valid_from  timestamptz
);
CREATE INDEX ON public.dataset_item_media (project_id, media_id);
