-- One write to the catalogue: checked as a whole, then done as a whole.
--
-- KEYS  done (of this token alone: the version it made; a client that lost the answer asks again),
--       head (hash: version, token), index (hash: id -> "version revision skukey\tskukey..."),
--       records (hash: revision -> product JSON), history (hash: id -> lines, newest first:
--       "version revision milliseconds meta"), skus (hash: sku key -> id), changes (stream),
--       then, if the write is an import's or its undo's, the import's own hash, which must be in
--       state 'storing' or 'undoing' under this very token: another process may have taken it over
-- ARGV  token, meta (JSON, one line), depth of history, length of the stream, number of puts,
--       number of deletes, whether records come along (1) or were staged before (0);
--       per put: id, expected version (-1 any, 0 absent), revision, sku keys (tabs between), record;
--       per delete: id, expected version
-- Returns {'ok', version}, {'version', id, actual, id, actual...}, {'sku', sku key, owner's id}
-- or {'stale'}.
--
-- Everything goes in batches: Redis does nothing else meanwhile, so a large import must be short.

local done, head, index, records, history, skus, changes = unpack(KEYS, 1, 7)
local import = KEYS[8]
local token, meta, depth, length = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local puts, deletes, inline = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7] == '1'
local width = inline and 5 or 4
local after = 7 + puts * width
local LISTED = 1000  -- larger writes name no ids in the stream: followers compare the index
local BATCH = 1000   -- fields per command
local REMEMBERED = 600  -- seconds that a token is known for

local already = redis.call('GET', done)
if already then return { 'ok', tonumber(already) } end

local function field(item, number) return ARGV[7 + (item - 1) * width + number] end
local function words(keys) return string.gmatch(keys, '[^\t]+') end

local function read(key, fields, use)
  for first = 1, #fields, BATCH do
    local last = math.min(first + BATCH - 1, #fields)
    for offset, value in ipairs(redis.call('HMGET', key, unpack(fields, first, last))) do
      use(first + offset - 1, value)
    end
  end
end

local function send(command, key, list)
  for first = 1, #list, BATCH * 2 do
    redis.call(command, key, unpack(list, first, math.min(first + BATCH * 2 - 1, #list)))
  end
end

if import then
  local state = redis.call('HMGET', import, 'state', 'token')
  local storing = state[1] == 'storing' or state[1] == 'undoing'
  if not storing or state[2] ~= token then return { 'stale' } end
end

-- what is there now
local ids, versions, held = {}, {}, {}
for item = 1, puts do ids[item] = field(item, 1) end
for item = 1, deletes do ids[puts + item] = ARGV[after + item * 2 - 1] end
read(index, ids, function(item, line)
  if not line then versions[item], held[item] = 0, '' return end
  local version, keys = string.match(line, '^(%d+) %S+ (.*)$')
  versions[item], held[item] = tonumber(version), keys
end)

-- checks: nothing is written before all of them hold
local touched, conflicts = {}, { 'version' }
for item, id in ipairs(ids) do
  touched[id] = true
  local expected = tonumber(item <= puts and field(item, 2) or ARGV[after + (item - puts) * 2])
  if expected >= 0 and expected ~= versions[item] then
    conflicts[#conflicts + 1] = id
    conflicts[#conflicts + 1] = versions[item]
  end
end
if #conflicts > 1 then return conflicts end
local claimed, claims = {}, {}
for item = 1, puts do
  for key in words(field(item, 4)) do
    if claimed[key] and claimed[key] ~= ids[item] then return { 'sku', key, claimed[key] } end
    if not claimed[key] then claims[#claims + 1] = key end
    claimed[key] = ids[item]
  end
end
local taken
read(skus, claims, function(item, owner)
  if owner and not touched[owner] and not taken then taken = { 'sku', claims[item], owner } end
end)
if taken then return taken end

-- deleting what is not there is no write
local effective = puts > 0
for item = puts + 1, #ids do effective = effective or versions[item] > 0 end
if not effective then return { 'ok', tonumber(redis.call('HGET', head, 'version') or 0) } end

-- the write
local before = redis.call('HGET', head, 'token') or ''
local version = redis.call('HINCRBY', head, 'version', 1)
redis.call('HSET', head, 'token', token)
local time = redis.call('TIME')
local now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))

local given_up, owned = {}, {}
for item = 1, #ids do
  for key in words(held[item]) do
    if not claimed[key] then given_up[#given_up + 1] = key end
  end
end
for position, key in ipairs(claims) do
  owned[position * 2 - 1], owned[position * 2] = key, claimed[key]
end
send('HDEL', skus, given_up)
send('HSET', skus, owned)

local lines, stored, gone = {}, {}, {}
for item = 1, puts do
  lines[#lines + 1] = ids[item]
  lines[#lines + 1] = version .. ' ' .. field(item, 3) .. ' ' .. field(item, 4)
  if inline then
    stored[#stored + 1] = field(item, 3)
    stored[#stored + 1] = field(item, 5)
  end
end
for item = puts + 1, #ids do
  if versions[item] > 0 then gone[#gone + 1] = ids[item] end
end
send('HSET', records, stored)
send('HSET', index, lines)
send('HDEL', index, gone)

-- the audit log, and the records of the lines that fall off its end
local ending, log, dropped = ' ' .. now .. ' ' .. meta, {}, {}
local function cut(old)
  local position = 0
  for _ = 2, depth do
    position = string.find(old, '\n', position + 1, true)
    if not position then return old end
  end
  for revision in string.gmatch(string.sub(old, position), '\n%d+ (%S+)') do
    dropped[#dropped + 1] = revision
  end
  return string.sub(old, 1, position - 1)
end
read(history, ids, function(item, old)
  if item > puts and versions[item] == 0 then return end
  local line = version .. ' ' .. (item <= puts and field(item, 3) or '-') .. ending
  log[#log + 1] = ids[item]
  log[#log + 1] = old and line .. '\n' .. cut(old) or line
end)
send('HSET', history, log)
send('HDEL', records, dropped)

local event = { 'before', before, 'token', token, 'meta', meta, 'at', now }
if #ids <= LISTED then
  event[#event + 1] = 'ids'
  event[#event + 1] = cjson.encode(ids)
end
redis.call('XADD', changes, 'MAXLEN', '~', length, version .. '-0', unpack(event))
if import then
  local undone = redis.call('HGET', import, 'state') == 'undoing'
  local fields = undone and { 'state', 'undone', 'undo_version', version, 'undone_at', now }
    or { 'state', 'applied', 'version', version, 'applied_at', now }
  redis.call('HSET', import, unpack(fields))
  redis.call('HDEL', import, 'staged')
end
redis.call('SET', done, version, 'EX', REMEMBERED)
return { 'ok', version }
