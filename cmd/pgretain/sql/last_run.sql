SELECT coalesce(max(r.id), 0) FROM retention.run r;
