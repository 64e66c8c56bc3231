SELECT EXISTS (SELECT FROM pg_stat_replication s WHERE s.replay_lag > interval '1.5 s')
