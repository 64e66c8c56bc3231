-- Times are UTC, without zone.
CREATE TABLE public.orgs (
    id                       bigint PRIMARY KEY,
    name                     text NOT NULL,
    audit_log_days_to_keep   integer
);

CREATE TABLE public.audit_logs (
    id           uuid PRIMARY KEY,
    org_id       bigint NOT NULL,
    description  text,
    inserted_at  timestamp NOT NULL
);
CREATE INDEX audit_logs_org_inserted ON public.audit_logs (org_id, inserted_at);

-- latest_health_id points at device_health, without a foreign key.
CREATE TABLE public.devices (
    id                bigint PRIMARY KEY,
    org_id            bigint NOT NULL,
    identifier        text NOT NULL,
    latest_health_id  uuid,
    deleted_at        timestamp
);

CREATE TABLE public.device_health (
    id           uuid PRIMARY KEY,
    device_id    bigint NOT NULL REFERENCES public.devices ON DELETE CASCADE,
    data         jsonb,
    inserted_at  timestamp NOT NULL
);
CREATE INDEX device_health_device ON public.device_health (device_id);

CREATE TABLE public.device_connections (
    id                   uuid PRIMARY KEY,
    device_id            bigint NOT NULL REFERENCES public.devices ON DELETE CASCADE,
    status               text NOT NULL,
    last_seen_at         timestamp NOT NULL,
    disconnected_at      timestamp,
    disconnected_reason  text
);
CREATE INDEX device_connections_device ON public.device_connections (device_id);

CREATE TABLE public.inflight_updates (
    id          bigint PRIMARY KEY,
    device_id   bigint NOT NULL UNIQUE REFERENCES public.devices ON DELETE CASCADE,
    expires_at  timestamp NOT NULL
);

CREATE TABLE public.notifications (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org_id       bigint NOT NULL,
    title        text NOT NULL,
    inserted_at  timestamp NOT NULL
);
