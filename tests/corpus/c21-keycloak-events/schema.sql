CREATE TABLE public.realm (
    id                 text PRIMARY KEY,
    name               text NOT NULL UNIQUE,
    events_enabled     boolean NOT NULL DEFAULT false,
    events_expiration  bigint               -- seconds
);

CREATE TABLE public.realm_attribute (
    realm_id  text NOT NULL,
    name      text NOT NULL,
    value     text,
    PRIMARY KEY (realm_id, name)
);

-- Times are milliseconds since 1970. Events may outlive their realm: no foreign keys.
CREATE TABLE public.event_entity (
    id          text PRIMARY KEY,
    realm_id    text,
    type        text,
    event_time  bigint
);
CREATE INDEX idx_event_time ON public.event_entity (realm_id, event_time);

CREATE TABLE public.admin_event_entity (
    id                text PRIMARY KEY,
    realm_id          text,
    operation_type    text,
    admin_event_time  bigint
);
CREATE INDEX idx_admin_event_time ON public.admin_event_entity (realm_id, admin_event_time);
