-- Roles that may create where names are looked up, and a function that one of them left there; and one that may become
-- the runtime's owner in any case.
CREATE ROLE drift_creator;
CREATE ROLE drift_left;
CREATE ROLE drift_trusted IN ROLE retention_owner;
GRANT CREATE ON SCHEMA public TO drift_creator, drift_trusted, drift_left;
SET LOCAL ROLE drift_left;
CREATE FUNCTION public.lower(bigint) RETURNS text LANGUAGE sql AS 'SELECT NULL::text';
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM drift_left;
