-- Flows of a login service: everything belongs to a network and expires.
CREATE TABLE networks (id uuid PRIMARY KEY);
CREATE TABLE identities (
    id uuid PRIMARY KEY,
    nid uuid NOT NULL REFERENCES networks ON DELETE CASCADE
);
CREATE TABLE sessions (
    id uuid PRIMARY KEY,
    nid uuid NOT NULL REFERENCES networks ON DELETE CASCADE,
    identity_id uuid NOT NULL REFERENCES identities ON DELETE CASCADE,
    expires_at timestamp NOT NULL
);
CREATE TABLE session_devices (
    id uuid PRIMARY KEY,
    session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE
);
CREATE INDEX ON session_devices (session_id);
CREATE TABLE continuity_containers (
    id uuid PRIMARY KEY,
    nid uuid NOT NULL REFERENCES networks ON DELETE CASCADE,
    expires_at timestamp NOT NULL
);
CREATE TABLE selfservice_login_flows (
    id uuid PRIMARY KEY,
    nid uuid NOT NULL REFERENCES networks ON DELETE CASCADE,
    expires_at timestamp NOT NULL
);
CREATE TABLE selfservice_recovery_flows (
    id uuid PRIMARY KEY,
    nid uuid NOT NULL REFERENCES networks ON DELETE CASCADE,
    expires_at timestamp NOT NULL
);
CREATE TABLE identity_recovery_codes (
    id uuid PRIMARY KEY,
    selfservice_recovery_flow_id uuid NOT NULL REFERENCES selfservice_recovery_flows ON DELETE CASCADE
);
CREATE INDEX ON identity_recovery_codes (selfservice_recovery_flow_id);
CREATE TABLE selfservice_registration_flows (
    id uuid PRIMARY KEY,
    nid uuid NOT NULL REFERENCES networks ON DELETE CASCADE,
    expires_at timestamp NOT NULL
);
CREATE TABLE selfservice_settings_flows (
    id uuid PRIMARY KEY,
    nid uuid NOT NULL REFERENCES networks ON DELETE CASCADE,
    identity_id uuid NOT NULL REFERENCES identities ON DELETE CASCADE,
    expires_at timestamp NOT NULL
);
CREATE TABLE selfservice_verification_flows (
    id uuid PRIMARY KEY,
    nid uuid NOT NULL REFERENCES networks ON DELETE CASCADE,
    expires_at timestamp NOT NULL
);
CREATE TABLE session_token_exchanges (
    id uuid PRIMARY KEY,
    nid uuid NOT NULL REFERENCES networks ON DELETE CASCADE,
    expires_at timestamp NOT NULL
);
