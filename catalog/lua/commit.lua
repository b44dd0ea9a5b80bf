-- Show everything that was prepared under a token, at once.
--
-- KEYS  as in cells.lua, then the import's own hash, which must be in state 'storing' or 'undoing'
--       under this very token: another process may have taken it over
-- ARGV  token, meta (JSON, one line), length of the stream, ids as JSON ('' if they are many)
-- Returns {'ok', version}, {'lost', id...} (others wrote these since; plan them anew) or {'stale'}

local import = KEYS[9]
local token, meta, length, ids = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local already = committed(token)
if already then return { 'ok', tonumber(already[1]) } end
local state = redis.call('HMGET', import, 'state', 'token')
if (state[1] ~= 'storing' and state[1] ~= 'undoing') or state[2] ~= token then return { 'stale' } end

local again = redis.call('HGET', lost, token)
if again then
  redis.call('HDEL', lost, token)
  local reply = { 'lost' }
  for id in string.gmatch(again, '[^\n]+') do reply[#reply + 1] = id end
  return reply
end

local before = redis.call('HGET', head, 'token') or ''
local version = redis.call('HINCRBY', head, 'version', 1)
local moment = now()
redis.call('HSET', head, 'token', token)
redis.call('HSET', commits, token, version .. ' ' .. moment)
local event = { 'before', before, 'token', token, 'meta', meta, 'at', moment }
if ids ~= '' then
  event[#event + 1] = 'ids'
  event[#event + 1] = ids
end
redis.call('XADD', changes, 'MAXLEN', '~', length, version .. '-0', unpack(event))
local fields = state[1] == 'undoing'
  and { 'state', 'undone', 'undo_version', version, 'undone_at', moment }
  or { 'state', 'applied', 'version', version, 'applied_at', moment }
redis.call('HSET', import, unpack(fields))
redis.call('HDEL', import, 'staged')
return { 'ok', version }
