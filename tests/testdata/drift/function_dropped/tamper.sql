DROP FUNCTION retention.place_hold(regclass, text[], text, timestamptz, text);
