-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION short_name(name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT left(name, 10) $$;
-- +goose StatementEnd
-- +goose Down
DROP FUNCTION short_name(text);
