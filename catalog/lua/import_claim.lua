-- Take an import over, if nobody is working on it.
--
-- KEYS  the import's hash
-- ARGV  new state, token, lease in milliseconds, then the states it may be taken from
-- Whoever gives no sign of life for the length of the lease has died; an undo that broke off can
-- only be undone further.
-- Returns {'ok', milliseconds}, {'missing'} or {'busy', state}

local states = redis.call('HMGET', KEYS[1], 'state', 'beat')
local state, beat = states[1], tonumber(states[2] or 0)
if not state then return { 'missing' } end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local free = false
for argument = 4, #ARGV do free = free or ARGV[argument] == state end
local working = state == 'planning' or state == 'storing' or state == 'undoing'
local alike = (state == 'undoing') == (ARGV[1] == 'undoing')
if working and alike and now - beat > tonumber(ARGV[3]) then free = true end
if not free then return { 'busy', state } end
local beat_now = string.format('%d', now)
redis.call('HSET', KEYS[1], 'state', ARGV[1], 'token', ARGV[2], 'beat', beat_now, 'phase', '', 'done', 0)
return { 'ok', now }
