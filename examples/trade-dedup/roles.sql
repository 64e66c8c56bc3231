-- The role of the application. A DBA creates it once. It may call the functions that the policy
-- grants to it, and has no privileges on the tables.
DO $$
BEGIN
    IF to_regrole('whale_worker') IS NULL THEN
        CREATE ROLE whale_worker LOGIN;
    END IF;
END
$$;
