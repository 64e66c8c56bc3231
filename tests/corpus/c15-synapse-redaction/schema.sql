-- Times are milliseconds since 1970.
CREATE TABLE public.events (
    event_id  text PRIMARY KEY,
    room_id   text NOT NULL,
    type      text NOT NULL
);

CREATE TABLE public.event_json (
    event_id  text PRIMARY KEY,
    json      text NOT NULL
);

-- A redaction event that was not allowed.
CREATE TABLE public.rejections (
    event_id  text PRIMARY KEY,
    reason    text NOT NULL
);

CREATE TABLE public.redactions (
    event_id       text PRIMARY KEY,
    redacts        text NOT NULL,
    have_censored  boolean NOT NULL DEFAULT false,
    received_ts    bigint
);
CREATE INDEX redactions_censored_redacts ON public.redactions (received_ts) WHERE NOT have_censored;

CREATE TABLE public.event_expiry (
    event_id   text PRIMARY KEY,
    expiry_ts  bigint NOT NULL
);
CREATE INDEX event_expiry_expiry_ts_idx ON public.event_expiry (expiry_ts);
