-- Names are folded to lower case, as the server folds them.
CREATE TABLE public.retentionpolicies (
    id            text PRIMARY KEY,
    displayname   text,
    postduration  bigint                    -- days, -1: keep
);

CREATE TABLE public.channels (
    id      text PRIMARY KEY,
    teamid  text
);

CREATE TABLE public.retentionpolicieschannels (
    policyid   text REFERENCES public.retentionpolicies ON DELETE CASCADE,
    channelid  text PRIMARY KEY
);

CREATE TABLE public.retentionpoliciesteams (
    policyid  text REFERENCES public.retentionpolicies ON DELETE CASCADE,
    teamid    text PRIMARY KEY
);

-- Times are milliseconds since 1970.
CREATE TABLE public.posts (
    id         text PRIMARY KEY,
    channelid  text NOT NULL,
    message    text,
    createat   bigint
);
CREATE INDEX idx_posts_create_at ON public.posts (createat);

CREATE TABLE public.channelmemberhistory (
    channelid  text NOT NULL,
    userid     text NOT NULL,
    jointime   bigint NOT NULL,
    leavetime  bigint,
    PRIMARY KEY (channelid, userid, jointime)
);

-- What went from where, for the job that deletes files.
CREATE TABLE public.retentionidsfordeletion (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tablename  text NOT NULL,
    ids        text[] NOT NULL
);
