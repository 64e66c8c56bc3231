-- A database that has nothing of another one.
CREATE DATABASE sandbox_database TEMPLATE template0
