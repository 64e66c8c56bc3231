-- +goose Up
CREATE TABLE customer (id bigint PRIMARY KEY, name text NOT NULL);
-- +goose Down
DROP TABLE customer;
