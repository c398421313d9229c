#!/bin/sh
# Makes the secrets of docker-compose.yml in ./secrets (or the folder given), those that are not there yet. Nobody else can look into the folder; the files are
# readable for the containers' users, who have other numbers. `secret_key` belongs to the data in Postgres for its life: back it up with it.
set -eu
folder="${1:-secrets}"
umask 077
mkdir -p "$folder"
chmod 700 "$folder"

# Hexadecimal, so that it needs no escapes in an address.
password() {
  [ -s "$folder/$1" ] || openssl rand -hex 24 > "$folder/$1"
}

password postgres_password
password clickhouse_password
[ -s "$folder/secret_key" ] || openssl rand -base64 32 > "$folder/secret_key"
[ -s "$folder/postgres_url" ] ||
  printf 'postgres://svc:%s@postgres:5432/svc\n' "$(cat "$folder/postgres_password")" > "$folder/postgres_url"
[ -s "$folder/clickhouse_url" ] ||
  printf 'http://svc:%s@clickhouse:8123/svc\n' "$(cat "$folder/clickhouse_password")" > "$folder/clickhouse_url"
chmod 444 "$folder"/*
