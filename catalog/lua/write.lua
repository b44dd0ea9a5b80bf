-- One write to the catalogue: checked as a whole, then done as a whole.
--
-- KEYS  as in cells.lua, then done (of this token alone: the version it made; a client that lost the
--       answer asks again)
-- ARGV  token, meta (JSON, one line), depth of history, length of the stream, number of puts,
--       number of deletes;
--       per put: id, expected version (-1 any, 0 absent), revision, sku keys (tabs between), record;
--       per delete: id, expected version
-- Returns {'ok', version}, {'version', id, actual, id, actual...} or {'sku', sku key, owner's id}.

local done = KEYS[9]
local token, meta, depth, length = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local puts, deletes = tonumber(ARGV[5]), tonumber(ARGV[6])
local after = 6 + puts * 5
local REMEMBERED = 600  -- seconds that a token is known for
local LISTED = 1000  -- larger writes name no ids in the stream: followers compare the index

local already = redis.call('GET', done)
if already then return { 'ok', tonumber(already) } end

local function field(item, number) return ARGV[6 + (item - 1) * 5 + number] end

-- what is there now
local ids, versions, held, open = {}, {}, {}, {}
for item = 1, puts do ids[item] = field(item, 1) end
for item = 1, deletes do ids[puts + item] = ARGV[after + item * 2 - 1] end
read(index, ids, function(item, cell)
  local version, _, keys, token_open = entry(cell)
  versions[item], held[item], open[item] = version, keys, token_open
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

local claimed, keys = {}, {}
for item = 1, puts do
  for key in words(field(item, 4)) do
    if claimed[key] and claimed[key] ~= ids[item] then return { 'sku', key, claimed[key] } end
    if not claimed[key] then keys[#keys + 1] = key end
    claimed[key] = ids[item]
  end
end
local claims = #keys
for item = 1, #ids do
  for key in words(held[item]) do
    if not claimed[key] then keys[#keys + 1] = key end
  end
end
local taken
local wanted = {}  -- what imports that are still open would do with these keys
read(skus, keys, function(item, cell)
  local id, token_open, would = owner(cell)
  if item <= claims and id ~= '' and not touched[id] then taken = taken or { 'sku', keys[item], id } end
  if token_open then wanted[#wanted + 1] = { token_open, would, id } end
end)
if taken then return taken end

-- deleting what is not there is no write
local effective = puts > 0
for item = puts + 1, #ids do effective = effective or versions[item] > 0 end
if not effective then return { 'ok', tonumber(redis.call('HGET', head, 'version') or 0) } end

-- the write
local before = redis.call('HGET', head, 'token') or ''
local version = redis.call('HINCRBY', head, 'version', 1)
local moment = now()
redis.call('HSET', head, 'token', token)

local owned, given_up = {}, {}
for item, key in ipairs(keys) do
  if item <= claims then
    owned[#owned + 1] = key
    owned[#owned + 1] = claimed[key]
  else
    given_up[#given_up + 1] = key
  end
end
send('HDEL', skus, given_up)
send('HSET', skus, owned)
for _, import in ipairs(wanted) do
  lose(import[1], import[2])
  lose(import[1], import[3])
end
for item, id in ipairs(ids) do
  if open[item] then lose(open[item], id) end
end

local lines, stored, gone = {}, {}, {}
for item = 1, puts do
  stored[#stored + 1] = field(item, 3)
  stored[#stored + 1] = field(item, 5)
  lines[#lines + 1] = ids[item]
  lines[#lines + 1] = line_of(version, field(item, 3), field(item, 4))
end
for item = puts + 1, #ids do gone[#gone + 1] = ids[item] end
send('HSET', records, stored)
send('HSET', index, lines)
send('HDEL', index, gone)

local ending, logs = ' ' .. moment .. ' ' .. meta, {}
read(history, ids, function(item, cell)
  if item > puts and versions[item] == 0 then return end
  local line = version .. ' ' .. (item <= puts and field(item, 3) or NONE) .. ending
  local old = log(cell)
  logs[#logs + 1] = ids[item]
  logs[#logs + 1] = old == '' and line or cut(line .. '\n' .. old, depth)
end)
send('HSET', history, logs)
send('HDEL', records, dropped)

local event = { 'before', before, 'token', token, 'meta', meta, 'at', moment }
if #ids <= LISTED then
  event[#event + 1] = 'ids'
  event[#event + 1] = cjson.encode(ids)
end
redis.call('XADD', changes, 'MAXLEN', '~', length, version .. '-0', unpack(event))
redis.call('SET', done, version, 'EX', REMEMBERED)
return { 'ok', version }
