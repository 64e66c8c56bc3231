ALTER ROLE drift_exit_runner SET exit_on_error = on;
