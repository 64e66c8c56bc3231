-- The tables of the platform that its cleanup service reads and changes. Another service stores the
-- users.
CREATE SCHEMA communities;
CREATE SCHEMA reputation;
CREATE SCHEMA requests;
CREATE SCHEMA messaging;
CREATE SCHEMA notifications;
CREATE SCHEMA social_graph;
CREATE SCHEMA cleanup;

-- Communities, and the times to live of their rows.
CREATE TABLE communities.communities (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL
);

CREATE TABLE communities.settings (
    community_id uuid PRIMARY KEY REFERENCES communities.communities ON DELETE CASCADE,
    request_ttl_days integer NOT NULL DEFAULT 60 CHECK (request_ttl_days > 0),
    offer_ttl_days integer NOT NULL DEFAULT 60 CHECK (offer_ttl_days > 0),
    message_ttl_days integer NOT NULL DEFAULT 90 CHECK (message_ttl_days > 0),
    notification_ttl_days integer NOT NULL DEFAULT 30 CHECK (notification_ttl_days > 0),
    reputation_half_life_months numeric NOT NULL DEFAULT 6 CHECK (reputation_half_life_months > 0)
);

-- calculate_expires_at returns the time when a new request, offer, message or notification of a
-- community expires.
CREATE FUNCTION communities.calculate_expires_at(community_id uuid, kind text, created_at timestamptz)
RETURNS timestamptz LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT calculate_expires_at.created_at + CASE kind
               WHEN 'request' THEN coalesce(max(s.request_ttl_days), 60)
               WHEN 'offer' THEN coalesce(max(s.offer_ttl_days), 60)
               WHEN 'message' THEN coalesce(max(s.message_ttl_days), 90)
               WHEN 'notification' THEN coalesce(max(s.notification_ttl_days), 30)
           END * interval '1 day'
    FROM communities.settings AS s
    WHERE s.community_id = calculate_expires_at.community_id;
END;

-- Karma records are kept for ever. A trust score is the present value of a user's karma.
CREATE TABLE reputation.karma_records (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id uuid NOT NULL,
    community_id uuid NOT NULL REFERENCES communities.communities,
    points integer NOT NULL,
    reason text NOT NULL CHECK (reason IN ('helped', 'was_helped', 'feedback', 'correction')),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON reputation.karma_records (user_id, community_id);

CREATE TABLE reputation.trust_scores (
    user_id uuid NOT NULL,
    community_id uuid NOT NULL REFERENCES communities.communities,
    score numeric NOT NULL DEFAULT 0,
    last_activity_at timestamptz,
    PRIMARY KEY (user_id, community_id)
);

CREATE TABLE reputation.activity_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id uuid NOT NULL,
    community_id uuid NOT NULL REFERENCES communities.communities,
    action text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- note_activity records a finished exchange as activity of both users.
CREATE FUNCTION reputation.note_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE reputation.trust_scores AS s
    SET last_activity_at = greatest(s.last_activity_at, NEW.created_at)
    WHERE s.user_id = NEW.user_id AND s.community_id = NEW.community_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER note_activity AFTER INSERT ON reputation.activity_log
    FOR EACH ROW WHEN (NEW.action IN ('complete_request', 'complete_offer'))
    EXECUTE FUNCTION reputation.note_activity();

-- calculate_decayed_karma returns the sum of karma * 0.5 ^ (months ago / half-life in months). A
-- month has 30.44 days. It rounds each record before the sum, so that the order of the records does
-- not matter. It runs with its owner's rights, so that the role that updates scores needs no right
-- to read karma.
CREATE FUNCTION reputation.calculate_decayed_karma(
    user_id uuid, community_id uuid, as_of timestamptz DEFAULT now())
RETURNS numeric LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT round(coalesce(sum(round((k.points * power(0.5::double precision,
               (greatest(extract(epoch FROM calculate_decayed_karma.as_of - k.created_at), 0)
                / (30.44 * 24 * 60 * 60) / coalesce(s.reputation_half_life_months, 6))::double precision
           ))::numeric, 6)), 0), 2)
    FROM reputation.karma_records AS k
    LEFT JOIN communities.settings AS s ON s.community_id = k.community_id
    WHERE k.user_id = calculate_decayed_karma.user_id
      AND k.community_id = calculate_decayed_karma.community_id;
END;

-- Requests for help, offers of help, matches and dibs.
CREATE TABLE requests.help_requests (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    requester_id uuid NOT NULL,
    title text NOT NULL,
    description text,
    payload jsonb NOT NULL DEFAULT '{}',
    requirements jsonb NOT NULL DEFAULT '{}',
    status text NOT NULL DEFAULT 'open'
        CHECK (status IN ('open', 'matched', 'in_progress', 'completed', 'cancelled')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    completed_at timestamptz,
    expires_at timestamptz,
    expired boolean NOT NULL DEFAULT false,
    content_forgotten_at timestamptz
);

CREATE TABLE requests.request_communities (
    request_id uuid NOT NULL REFERENCES requests.help_requests ON DELETE CASCADE,
    community_id uuid NOT NULL REFERENCES communities.communities,
    PRIMARY KEY (request_id, community_id)
);

CREATE TABLE requests.help_offers (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    community_id uuid NOT NULL REFERENCES communities.communities,
    offerer_id uuid NOT NULL,
    title text NOT NULL,
    description text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    expired boolean NOT NULL DEFAULT false
);

-- A match prevents the deletion of its request, but not of its offer.
CREATE TABLE requests.matches (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    request_id uuid NOT NULL REFERENCES requests.help_requests,
    offer_id uuid REFERENCES requests.help_offers ON DELETE SET NULL,
    helper_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON requests.matches (request_id);
CREATE INDEX ON requests.matches (offer_id);

-- "I call dibs": one user at a time may reserve a request, for a limited time.
CREATE TABLE requests.dibs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    request_id uuid NOT NULL REFERENCES requests.help_requests ON DELETE CASCADE,
    user_id uuid NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'confirmed', 'declined', 'expired')),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz
);
CREATE INDEX ON requests.dibs (request_id);

-- Windows for texts, in days. One row with community_id NULL is for all communities, and other rows
-- override it. A NULL window is not set.
CREATE TABLE requests.retention_config (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    community_id uuid UNIQUE REFERENCES communities.communities ON DELETE CASCADE,
    completed_request_window_days integer CHECK (completed_request_window_days > 0),
    expired_request_window_days integer CHECK (expired_request_window_days > 0),
    message_window_days integer CHECK (message_window_days > 0)
);
CREATE UNIQUE INDEX retention_config_global ON requests.retention_config ((community_id IS NULL))
    WHERE community_id IS NULL;
INSERT INTO requests.retention_config
    (community_id, completed_request_window_days, expired_request_window_days, message_window_days)
SELECT NULL, 180, 30, 180
WHERE NOT EXISTS (SELECT FROM requests.retention_config AS c WHERE c.community_id IS NULL);

-- Conversations and messages between users.
CREATE TABLE messaging.conversations (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    request_match_id uuid REFERENCES requests.matches ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON messaging.conversations (request_match_id);

CREATE TABLE messaging.messages (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation_id uuid NOT NULL REFERENCES messaging.conversations ON DELETE CASCADE,
    sender_id uuid NOT NULL,
    content text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    expired boolean NOT NULL DEFAULT false,
    forgotten_at timestamptz
);
CREATE INDEX ON messaging.messages (conversation_id);

CREATE TABLE notifications.notifications (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id uuid NOT NULL,
    body text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    expired boolean NOT NULL DEFAULT false
);

-- Trust between users. The weight of an edge decreases while the two users do not interact.
CREATE TABLE social_graph.trust_edges (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    from_user uuid NOT NULL,
    to_user uuid NOT NULL,
    weight double precision NOT NULL,
    half_life_days double precision CHECK (half_life_days > 0), -- NULL: the weight stays
    last_interaction_at timestamptz NOT NULL DEFAULT now(),
    disappearance_threshold double precision, -- NULL: the edge is never deleted
    UNIQUE (from_user, to_user)
);

CREATE VIEW social_graph.trust_edges_live AS
SELECT e.id, e.from_user, e.to_user, e.disappearance_threshold,
       CASE WHEN e.half_life_days IS NULL THEN e.weight
            ELSE e.weight * power(0.5::double precision,
                (extract(epoch FROM now() - e.last_interaction_at) / 86400)::double precision / e.half_life_days)
       END AS current_weight
FROM social_graph.trust_edges AS e;

-- Deleted rows, for programs that store them elsewhere. They do not contain the texts of messages.
CREATE TABLE cleanup.exported_rows (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_name text NOT NULL,
    key text NOT NULL,
    record jsonb NOT NULL,
    exported_at timestamptz NOT NULL,
    run_id bigint NOT NULL,
    reason text
);
