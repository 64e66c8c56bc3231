CREATE TABLE public.execution (
    id           bigint PRIMARY KEY,
    vendor_type  text NOT NULL,
    vendor_id    integer,
    status       text NOT NULL,
    start_time   timestamp NOT NULL,
    end_time     timestamp
);
CREATE INDEX execution_vendor ON public.execution (vendor_type, vendor_id, start_time);

CREATE TABLE public.task (
    id            bigint PRIMARY KEY,
    execution_id  bigint NOT NULL REFERENCES public.execution,
    status        text NOT NULL
);
CREATE INDEX task_execution ON public.task (execution_id);

CREATE TABLE public.audit_log_ext (
    id             bigint PRIMARY KEY,
    operation      text,
    resource_type  text,
    username       text,
    op_time        timestamp
);
CREATE INDEX audit_log_ext_op_time ON public.audit_log_ext (op_time);

-- What the administrator chose for a scheduled job.
CREATE TABLE public.schedule (
    vendor_type  text PRIMARY KEY,
    param        jsonb NOT NULL
);
