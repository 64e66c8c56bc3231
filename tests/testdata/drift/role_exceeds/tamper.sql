ALTER ROLE drift_excess_viewer BYPASSRLS;
GRANT pg_write_all_data TO drift_excess_operator;
CREATE ROLE drift_excess_stranger LOGIN IN ROLE drift_excess_owner;
CREATE ROLE drift_excess_idle IN ROLE drift_excess_owner;
