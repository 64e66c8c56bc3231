CREATE TABLE public.person (
    id    integer PRIMARY KEY,
    name  text NOT NULL
);

CREATE TABLE public.local_user (
    id                    integer PRIMARY KEY,
    person_id             integer NOT NULL UNIQUE REFERENCES public.person ON DELETE CASCADE,
    accepted_application  boolean NOT NULL DEFAULT false
);

CREATE TABLE public.registration_application (
    id             integer PRIMARY KEY,
    local_user_id  integer NOT NULL UNIQUE REFERENCES public.local_user ON DELETE CASCADE,
    answer         text NOT NULL,
    admin_id       integer,
    published_at   timestamptz NOT NULL
);

CREATE TABLE public.post (
    id          integer PRIMARY KEY,
    name        text NOT NULL,
    body        text,
    deleted     boolean NOT NULL DEFAULT false,
    updated_at  timestamptz
);
CREATE INDEX idx_post_deleted ON public.post (updated_at) WHERE deleted;

CREATE TABLE public.comment (
    id          integer PRIMARY KEY,
    content     text NOT NULL,
    deleted     boolean NOT NULL DEFAULT false,
    updated_at  timestamptz
);

CREATE TABLE public.sent_activity (
    id            bigint PRIMARY KEY,
    data          json,
    published_at  timestamptz NOT NULL
);

CREATE TABLE public.received_activity (
    ap_id         text PRIMARY KEY,
    published_at  timestamptz NOT NULL
);

-- What a person does and is in a community; a row says nothing once all is NULL.
CREATE TABLE public.community_actions (
    person_id            integer NOT NULL REFERENCES public.person ON DELETE CASCADE,
    community_id         integer NOT NULL,
    followed_at          timestamptz,
    blocked_at           timestamptz,
    became_moderator_at  timestamptz,
    received_ban_at      timestamptz,
    ban_expires_at       timestamptz,
    PRIMARY KEY (person_id, community_id)
);

CREATE TABLE public.federation_blocklist (
    instance_id  integer PRIMARY KEY,
    expires_at   timestamptz
);

CREATE TABLE public.local_user_invite (
    token       text PRIMARY KEY,
    expires_at  timestamptz
);
