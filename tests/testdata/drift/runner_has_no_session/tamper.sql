ALTER ROLE drift_limit_runner CONNECTION LIMIT 0;
-- Others are no business of ours.
ALTER ROLE drift_limit_operator CONNECTION LIMIT 0;
