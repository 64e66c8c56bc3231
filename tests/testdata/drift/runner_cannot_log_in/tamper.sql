ALTER ROLE drift_login_runner NOLOGIN;
