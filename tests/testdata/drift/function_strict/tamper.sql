-- A strict function does nothing, and answers NULL, as soon as one of its arguments is NULL.
ALTER FUNCTION retention.place_hold(text, text, text, timestamptz) STRICT;
ALTER FUNCTION retention._spare(oid[], tid[], boolean, timestamptz) RETURNS NULL ON NULL INPUT;
