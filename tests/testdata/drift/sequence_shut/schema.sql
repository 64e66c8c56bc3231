CREATE SCHEMA app;
CREATE TABLE app.session (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state text NOT NULL,
    expires_at timestamptz
);
CREATE TABLE app.session_archive (
    number bigserial PRIMARY KEY,
    id bigint NOT NULL,
    state text NOT NULL,
    expires_at timestamptz
);
