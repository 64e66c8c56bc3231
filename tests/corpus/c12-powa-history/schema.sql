CREATE TABLE public.powa_servers (
    id             integer PRIMARY KEY,      -- 0: the local server
    alias          text NOT NULL,
    retention      interval,
    powa_coalesce  integer NOT NULL DEFAULT 100
);

CREATE TABLE public.powa_snapshot_metas (
    srvid         integer PRIMARY KEY REFERENCES public.powa_servers ON DELETE CASCADE,
    coalesce_seq  bigint NOT NULL DEFAULT 0,
    snapts        timestamptz NOT NULL
);

CREATE TABLE public.powa_module_config (
    srvid      integer NOT NULL REFERENCES public.powa_servers ON DELETE CASCADE,
    module     text NOT NULL,
    retention  interval,
    PRIMARY KEY (srvid, module)
);

CREATE TABLE public.powa_databases (
    srvid    integer NOT NULL REFERENCES public.powa_servers ON DELETE CASCADE,
    oid      bigint NOT NULL,
    datname  text NOT NULL,
    dropped  timestamptz,
    PRIMARY KEY (srvid, oid)
);

CREATE TABLE public.powa_statements (
    srvid            integer NOT NULL,
    queryid          bigint NOT NULL,
    dbid             bigint NOT NULL,
    query            text NOT NULL,
    last_present_ts  timestamptz,
    PRIMARY KEY (srvid, queryid, dbid),
    FOREIGN KEY (srvid, dbid) REFERENCES public.powa_databases ON DELETE CASCADE
);
CREATE INDEX ON public.powa_statements (srvid, dbid);

CREATE TYPE public.powa_statements_record AS (ts timestamptz, calls bigint, total_time double precision);

-- One row for each snapshot.
CREATE TABLE public.powa_statements_history_current (
    srvid       integer NOT NULL,
    queryid     bigint NOT NULL,
    dbid        bigint NOT NULL,
    ts          timestamptz NOT NULL,
    calls       bigint NOT NULL,
    total_time  double precision NOT NULL,
    FOREIGN KEY (srvid, queryid, dbid) REFERENCES public.powa_statements ON DELETE CASCADE
);
CREATE INDEX ON public.powa_statements_history_current (srvid, queryid, dbid);

-- Many snapshots in one row.
CREATE TABLE public.powa_statements_history (
    srvid           integer NOT NULL,
    queryid         bigint NOT NULL,
    dbid            bigint NOT NULL,
    coalesce_range  tstzrange NOT NULL,
    records         public.powa_statements_record[] NOT NULL,
    PRIMARY KEY (srvid, queryid, dbid, coalesce_range),
    FOREIGN KEY (srvid, queryid, dbid) REFERENCES public.powa_statements ON DELETE CASCADE
);
