-- Parameter: $1 reason.
SELECT a.adopted FROM retention.adopt(coalesce($1::text, '')) a (adopted);
