-- Times and lifetimes are in milliseconds.
CREATE TABLE public.rooms (
    room_id  text PRIMARY KEY
);

CREATE TABLE public.events (
    event_id              text PRIMARY KEY,
    room_id               text NOT NULL,
    topological_ordering  bigint NOT NULL,
    stream_ordering       bigint NOT NULL UNIQUE,
    received_ts           bigint,
    outlier               boolean NOT NULL DEFAULT false
);
CREATE INDEX events_order_room ON public.events (room_id, topological_ordering, stream_ordering);

-- An event points at those before it.
CREATE TABLE public.event_edges (
    event_id       text NOT NULL,
    prev_event_id  text NOT NULL,
    PRIMARY KEY (event_id, prev_event_id)
);
CREATE INDEX ev_edges_prev_id ON public.event_edges (prev_event_id);

CREATE TABLE public.state_events (
    event_id   text PRIMARY KEY,
    room_id    text NOT NULL,
    type       text NOT NULL,
    state_key  text NOT NULL
);

CREATE TABLE public.current_state_events (
    event_id   text PRIMARY KEY,
    room_id    text NOT NULL,
    type       text NOT NULL,
    state_key  text NOT NULL,
    UNIQUE (room_id, type, state_key)
);

CREATE TABLE public.room_retention (
    room_id       text NOT NULL,
    event_id      text NOT NULL,
    min_lifetime  bigint,
    max_lifetime  bigint,
    PRIMARY KEY (room_id, event_id)
);

CREATE TABLE public.event_json (
    event_id  text PRIMARY KEY,
    json      text NOT NULL
);

CREATE TABLE public.event_auth (
    event_id  text NOT NULL,
    auth_id   text NOT NULL
);
CREATE INDEX evauth_edges_id ON public.event_auth (event_id);

CREATE TABLE public.event_relations (
    event_id       text PRIMARY KEY,
    relates_to_id  text NOT NULL
);

CREATE TABLE public.event_forward_extremities (
    event_id  text NOT NULL,
    room_id   text NOT NULL,
    PRIMARY KEY (event_id, room_id)
);
CREATE INDEX ev_extrem_room ON public.event_forward_extremities (room_id);

CREATE TABLE public.event_backward_extremities (
    event_id  text NOT NULL,
    room_id   text NOT NULL,
    PRIMARY KEY (event_id, room_id)
);
CREATE INDEX ev_b_extrem_room ON public.event_backward_extremities (room_id);

CREATE TABLE public.state_groups (
    id       bigint PRIMARY KEY,
    room_id  text NOT NULL
);

CREATE TABLE public.state_group_edges (
    state_group       bigint PRIMARY KEY,
    prev_state_group  bigint NOT NULL
);
CREATE INDEX state_group_edges_prev_idx ON public.state_group_edges (prev_state_group);

CREATE TABLE public.state_groups_state (
    state_group  bigint NOT NULL,
    type         text NOT NULL,
    state_key    text NOT NULL,
    event_id     text NOT NULL,
    PRIMARY KEY (state_group, type, state_key)
);

CREATE TABLE public.event_to_state_groups (
    event_id     text PRIMARY KEY,
    state_group  bigint NOT NULL
);
CREATE INDEX event_to_state_groups_sg_index ON public.event_to_state_groups (state_group);
