-- $1: roles that are trusted besides, since they could become the owner of the runtime.
UPDATE retention.install SET trust = trust || $1::text[];
