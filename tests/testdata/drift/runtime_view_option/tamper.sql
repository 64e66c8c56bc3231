ALTER VIEW retention.progress SET (security_barrier = true);
