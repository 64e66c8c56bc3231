-- +goose Up
CREATE TABLE session (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id bigint NOT NULL REFERENCES customer ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
);
-- +goose Down
DROP TABLE session;
