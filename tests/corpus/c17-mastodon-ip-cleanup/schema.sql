-- Times are UTC, without zone.
CREATE TABLE public.accounts (
    id      bigint PRIMARY KEY,
    domain  text                            -- NULL: of this server
);

CREATE TABLE public.users (
    id                  bigint PRIMARY KEY,
    account_id          bigint NOT NULL REFERENCES public.accounts,
    sign_up_ip          inet,
    current_sign_in_at  timestamp
);

CREATE TABLE public.session_activations (
    id          bigint PRIMARY KEY,
    user_id     bigint NOT NULL REFERENCES public.users ON DELETE CASCADE,
    ip          inet,
    updated_at  timestamp NOT NULL
);

CREATE TABLE public.login_activities (
    id          bigint PRIMARY KEY,
    user_id     bigint NOT NULL REFERENCES public.users ON DELETE CASCADE,
    ip          inet,
    created_at  timestamp
);

CREATE TABLE public.oauth_access_tokens (
    id            bigint PRIMARY KEY,
    token         text NOT NULL,
    last_used_at  timestamp,
    last_used_ip  inet
);

CREATE TABLE public.ip_blocks (
    id          bigint PRIMARY KEY,
    ip          inet NOT NULL,
    expires_at  timestamp
);

-- The id holds the time: milliseconds since 1970, shifted by 16 bits.
CREATE TABLE public.statuses (
    id          bigint PRIMARY KEY,
    account_id  bigint NOT NULL REFERENCES public.accounts,
    text        text NOT NULL DEFAULT ''
);
CREATE INDEX index_statuses_on_account_id ON public.statuses (account_id);

CREATE TABLE public.mentions (
    id          bigint PRIMARY KEY,
    status_id   bigint NOT NULL REFERENCES public.statuses ON DELETE CASCADE,
    account_id  bigint NOT NULL
);
CREATE INDEX index_mentions_on_status_id ON public.mentions (status_id);

CREATE TABLE public.media_attachments (
    id          bigint PRIMARY KEY,
    status_id   bigint REFERENCES public.statuses ON DELETE SET NULL,
    file_name   text,
    created_at  timestamp NOT NULL
);
CREATE INDEX index_media_attachments_on_status_id ON public.media_attachments (status_id);

-- A list of statuses, without a foreign key.
CREATE TABLE public.account_conversations (
    id          bigint PRIMARY KEY,
    account_id  bigint NOT NULL,
    status_ids  bigint[] NOT NULL
);
CREATE INDEX index_account_conversations_on_status_ids ON public.account_conversations USING gin (status_ids);
