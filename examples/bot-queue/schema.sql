-- The application's tables before retention was added. Messages for offline bots wait in a queue,
-- and no column says since when.
CREATE TABLE public.bots (
    device_key char(64) PRIMARY KEY,
    name text NOT NULL
);

CREATE TABLE public.enqueued_messages (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device_key char(64) NOT NULL REFERENCES public.bots,
    session_id text NOT NULL,
    message bytea NOT NULL
);
