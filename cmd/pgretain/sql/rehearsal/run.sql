-- Parameter: $1 policy or report.
CALL retention.run(policy => $1, reason => 'rehearsal')
