-- Returns whether two constants of a type are the same value.
-- $1, $2: the constants, sent as that type
SELECT ROW($1)::text = ROW($2)::text
