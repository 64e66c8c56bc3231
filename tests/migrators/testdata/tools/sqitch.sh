# sqitch runs the files of the format psql. A change has the name of its file.
prepare() {
	sqitch init shop --engine pg
}
wrap() {
	cp "retention/$1.up.sql" "deploy/$1.sql"
	cp "retention/$1.down.sql" "revert/$1.sql"
	printf '%s 2024-01-01T00:00:00Z shop <shop@example.com> # %s\n' "$1" "$1" >>sqitch.plan
}
up() { sqitch deploy db:pg:; }
down() {
	if (($1 == $(psql -Atc 'SELECT count(*) FROM sqitch.changes'))); then
		sqitch revert -y db:pg:
	else
		sqitch revert -y db:pg: --to "@HEAD^$1"
	fi
}
