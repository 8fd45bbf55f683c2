export type { RedisConnection } from "./connection.ts";
export { redisStorage, type RedisStorageOptions } from "./redis-storage.ts";
