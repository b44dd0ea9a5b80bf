-- Note something about an import, as long as one is still the one who works on it.
--
-- KEYS  the import's hash
-- ARGV  token, then fields and values
-- Returns 1, or 0 if another process has taken the import over or it has ended

local now = redis.call('HMGET', KEYS[1], 'token', 'state')
local working = now[2] == 'planning' or now[2] == 'storing' or now[2] == 'undoing'
if now[1] ~= ARGV[1] or not working then return 0 end
local time = redis.call('TIME')
local beat = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', KEYS[1], 'beat', beat, unpack(ARGV, 2))
return 1
