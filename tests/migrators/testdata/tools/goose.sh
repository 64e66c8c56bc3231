up() { goose -dir retention postgres "$DATABASE_URL" up; }
down() { for _ in $(seq "$1"); do goose -dir retention postgres "$DATABASE_URL" down; done; }
