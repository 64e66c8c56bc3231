-- As long as it takes, with names looked up as in the sessions of who wrote the file.
SET lock_timeout = 0;
RESET search_path;
