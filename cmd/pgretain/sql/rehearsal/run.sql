-- $1: a policy or report.
CALL retention.run(policy => $1, reason => 'rehearsal')
