-- Keys of rows that went, written by triggers: 1 is pending, 2 processed.
CREATE TABLE public.loose_foreign_keys_deleted_records (
    partition                   bigint NOT NULL,
    id                          bigint NOT NULL,
    fully_qualified_table_name  text NOT NULL,
    primary_key_value           bigint NOT NULL,
    status                      smallint NOT NULL DEFAULT 1,
    consume_after               timestamptz NOT NULL DEFAULT now(),
    cleanup_attempts            smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (partition, id)
) PARTITION BY LIST (partition);
CREATE TABLE public.loose_foreign_keys_deleted_records_0 PARTITION OF public.loose_foreign_keys_deleted_records FOR VALUES IN (0);
CREATE TABLE public.loose_foreign_keys_deleted_records_1 PARTITION OF public.loose_foreign_keys_deleted_records FOR VALUES IN (1);
CREATE TABLE public.loose_foreign_keys_deleted_records_2 PARTITION OF public.loose_foreign_keys_deleted_records FOR VALUES IN (2);
CREATE INDEX loose_foreign_keys_pending ON public.loose_foreign_keys_deleted_records
    (fully_qualified_table_name, primary_key_value) WHERE status = 1;

-- Children live in databases of their own, hence no foreign keys.
CREATE TABLE public.ci_builds (
    id          bigint PRIMARY KEY,
    project_id  bigint
);
CREATE INDEX ON public.ci_builds (project_id);

CREATE TABLE public.ci_runners (
    id          bigint PRIMARY KEY,
    creator_id  bigint
);
CREATE INDEX ON public.ci_runners (creator_id);

CREATE TABLE public.notes (
    id          bigint PRIMARY KEY,
    project_id  bigint,
    author_id   bigint
);
CREATE INDEX ON public.notes (project_id);
CREATE INDEX ON public.notes (author_id);
