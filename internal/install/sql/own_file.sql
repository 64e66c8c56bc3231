-- A file of the user waits for locks without a limit, and has the search path of the role.
SET lock_timeout = 0;
RESET search_path;
