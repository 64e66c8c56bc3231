-- Parameter: $1 roles that are also trusted, because they are members of the owner of the runtime.
UPDATE retention.install SET trust = trust || $1::text[];
