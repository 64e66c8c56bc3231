-- Parameter: $1 instance of a policy. Creates the functions of the instance if they do not exist.
SELECT retention._ensure_instance($1)::text;
