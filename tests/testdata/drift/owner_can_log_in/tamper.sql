ALTER ROLE drift_owner_owner LOGIN;
