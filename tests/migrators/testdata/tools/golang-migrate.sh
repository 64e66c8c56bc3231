# golang-migrate reads the plain files as they are.
up() { migrate -path retention -database "pgx5://$ADDRESS" up; }
down() { migrate -path retention -database "pgx5://$ADDRESS" down "$1"; }
