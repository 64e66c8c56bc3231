-- Returns the number of the newest run; 0 if there is none.
SELECT coalesce(max(r.id), 0) FROM retention.run r;
