-- $1: a member of a policy that is for each schema. Its page is made, if it has none.
SELECT retention._ensure_instance($1)::text;
