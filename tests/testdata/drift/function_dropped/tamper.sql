DROP FUNCTION retention.place_hold(text, text, text, timestamptz);
