export { postgresStorage, type PostgresStorageOptions } from "./postgres-storage.ts";
export { postgresTables } from "./schema.ts";
