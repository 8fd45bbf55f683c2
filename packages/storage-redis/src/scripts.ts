/** Entries that one `RPUSH` takes: Lua's stack bounds the arguments of a call. */
const PUSH_ENTRIES = 1000;
/** Entries that a page reads at a time, and the bytes after which it ends. */
const PAGE_STEP = 64;
const PAGE_BYTES = 4_000_000;

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** The lease, a hash, is \`KEYS[2]\` and the token \`ARGV[1]\`, which is empty for a write that no lease protects. */
const UNDER_CLAIM = `
if ARGV[1] ~= '' and redis.call('HGET', KEYS[2], 'token') ~= ARGV[1] then return -1 end`;

/**
 * The operations of a storage as scripts, which Redis runs one at a time: a write under a lease looks up the lease's token in
 * the same step, so none of a former holder follows a take-over. Nothing depends on a notification, which a user may not be
 * allowed to publish (`pcall`).
 */
export const scripts = {
  /** `KEYS`: value, index of keys. `ARGV`: key, version, data, `any`, `none` or `match`, version that must be there. */
  set: `
local current = redis.call('HGET', KEYS[1], 'version')
if ARGV[4] == 'none' and current then return 0 end
if ARGV[4] == 'match' and current ~= ARGV[5] then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'data', ARGV[3])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
return 1`,

  /** `KEYS`: value, index of keys. `ARGV`: key. */
  delete: `
redis.call('DEL', KEYS[1])
return redis.call('ZREM', KEYS[2], ARGV[1])`,

  /** `KEYS`: log, lease. `ARGV`: token, entries. Returns the number of the last entry, or -1. */
  append: `${UNDER_CLAIM}
for first = 2, #ARGV, ${PUSH_ENTRIES} do
  redis.call('RPUSH', KEYS[1], unpack(ARGV, first, math.min(first + ${PUSH_ENTRIES - 1}, #ARGV)))
end
return redis.call('LLEN', KEYS[1])`,

  /** `KEYS`: log, lease. `ARGV`: token. */
  deleteLog: `${UNDER_CLAIM}
return redis.call('DEL', KEYS[1])`,

  /** `KEYS`: log. `ARGV`: first and last number. */
  page: `
local page, bytes, from, to = {}, 0, tonumber(ARGV[1]), tonumber(ARGV[2])
while from <= to do
  local step = redis.call('LRANGE', KEYS[1], from - 1, math.min(from + ${PAGE_STEP - 1}, to) - 1)
  if #step == 0 then return page end
  for _, entry in ipairs(step) do
    page[#page + 1] = entry
    bytes = bytes + #entry
    if bytes > ${PAGE_BYTES} then return page end
  end
  from = from + #step
end
return page`,

  /** `KEYS`: lease, channel. `ARGV`: token, milliseconds, `1` to steal, name. */
  take: `${NOW}
local expires = redis.call('HGET', KEYS[1], 'expires')
if expires and tonumber(expires) >= now and ARGV[3] ~= '1' then return 0 end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'expires', string.format('%.0f', now + ARGV[2]))
if ARGV[3] == '1' then redis.pcall('PUBLISH', KEYS[2], ARGV[4]) end
return 1`,

  /** `KEYS`: leases. `ARGV`: milliseconds, a token for each. Returns 1 for each that has its token, else 0. */
  renew: `${NOW}
local kept = {}
for index, lease in ipairs(KEYS) do
  kept[index] = 0
  if redis.call('HGET', lease, 'token') == ARGV[index + 1] then
    redis.call('HSET', lease, 'expires', string.format('%.0f', now + ARGV[1]))
    kept[index] = 1
  end
end
return kept`,

  /** `KEYS`: lease, channel. `ARGV`: token, name. */
  free: `
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.pcall('PUBLISH', KEYS[2], ARGV[2])
return 1`,
} as const;
