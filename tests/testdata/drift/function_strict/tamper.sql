-- A strict function does nothing, and answers NULL, as soon as one of its arguments is NULL.
ALTER FUNCTION retention.place_hold(text, text[], text, timestamptz, text) STRICT;
ALTER FUNCTION retention._lock_holds(oid[], text[], timestamptz) RETURNS NULL ON NULL INPUT;
