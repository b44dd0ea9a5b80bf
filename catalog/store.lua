-- One write to the catalogue: checked as a whole, then done as a whole.
--
-- KEYS  head (hash: version, token), index (hash: id -> "version revision skukey\tskukey..."),
--       records (hash: revision -> product JSON), history (hash: id -> lines, newest first:
--       "version revision milliseconds meta"), skus (hash: sku key -> id), changes (stream),
--       then, if the write is an import's, the import's own hash
-- ARGV  token, meta (JSON, one line), depth of history, length of the stream, number of puts,
--       number of deletes, whether records come along (1) or were staged before (0);
--       per put: id, expected version (-1 any, 0 absent), revision, sku keys (tabs between), record;
--       per delete: id, expected version
-- Returns {'ok', version}, {'version', id, actual} or {'sku', sku key, owner's id}.

local head, index, records, history, skus, changes = unpack(KEYS, 1, 6)
local token, meta, depth, length = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local puts, deletes, inline = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7] == '1'
local width = inline and 5 or 4
local after = 7 + puts * width
local LISTED = 1000  -- larger writes name no ids in the stream: followers compare the index
local BATCH = 1000

local function field(item, number) return ARGV[7 + (item - 1) * width + number] end
local function words(keys) return string.gmatch(keys, '[^\t]+') end

-- what is there now, read in batches
local ids, current = {}, {}
for item = 1, puts do ids[item] = field(item, 1) end
for item = 1, deletes do ids[puts + item] = ARGV[after + item * 2 - 1] end
for first = 1, #ids, BATCH do
  local last = math.min(first + BATCH - 1, #ids)
  for offset, line in ipairs(redis.call('HMGET', index, unpack(ids, first, last))) do
    local version, revision, keys = nil, nil, ''
    if line then version, revision, keys = string.match(line, '^(%d+) (%S+) (.*)$') end
    current[first + offset - 1] = { tonumber(version or 0), revision, keys }
  end
end

-- checks: nothing is written before all of them hold
local touched, claimed = {}, {}
for item, id in ipairs(ids) do
  touched[id] = true
  local expected = tonumber(item <= puts and field(item, 2) or ARGV[after + (item - puts) * 2])
  if expected >= 0 and expected ~= current[item][1] then
    return { 'version', id, current[item][1] }
  end
end
for item = 1, puts do
  for key in words(field(item, 4)) do
    if claimed[key] and claimed[key] ~= ids[item] then return { 'sku', key, claimed[key] } end
    claimed[key] = ids[item]
    local owner = redis.call('HGET', skus, key)
    if owner and not touched[owner] then return { 'sku', key, owner } end
  end
end

-- the write; deleting what is not there is none
local effective = puts > 0
for item = puts + 1, #ids do effective = effective or current[item][2] ~= nil end
if not effective then return { 'ok', tonumber(redis.call('HGET', head, 'version') or 0) } end
local version = redis.call('HINCRBY', head, 'version', 1)
redis.call('HSET', head, 'token', token)
local time = redis.call('TIME')
local now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))

local function remember(id, revision)
  local line = version .. ' ' .. revision .. ' ' .. now .. ' ' .. meta
  local lines = redis.call('HGET', history, id)
  if lines then
    local kept, position = 1, 1
    while position do
      local stop = string.find(lines, '\n', position, true)
      if kept >= depth then
        for old in string.gmatch(string.sub(lines, position), '[^\n]+') do
          redis.call('HDEL', records, string.match(old, '^%d+ (%S+)'))
        end
        lines = string.sub(lines, 1, position - 2)
        break
      end
      kept, position = kept + 1, stop and stop + 1
    end
    if lines ~= '' then line = line .. '\n' .. lines end
  end
  redis.call('HSET', history, id, line)
end

for item = 1, #ids do
  for key in words(current[item][3]) do
    if not claimed[key] then redis.call('HDEL', skus, key) end
  end
end
for key, id in pairs(claimed) do redis.call('HSET', skus, key, id) end
for item = 1, puts do
  local revision = field(item, 3)
  if inline then redis.call('HSET', records, revision, field(item, 5)) end
  redis.call('HSET', index, ids[item], version .. ' ' .. revision .. ' ' .. field(item, 4))
  remember(ids[item], revision)
end
for item = puts + 1, #ids do
  if current[item][2] then
    redis.call('HDEL', index, ids[item])
    remember(ids[item], '-')
  end
end

local event = { 'token', token, 'meta', meta, 'at', now }
if #ids <= LISTED then
  event[#event + 1] = 'ids'
  event[#event + 1] = cjson.encode(ids)
end
redis.call('XADD', changes, 'MAXLEN', '~', length, version .. '-0', unpack(event))
if KEYS[7] then redis.call('HSET', KEYS[7], 'state', 'applied', 'version', version, 'applied_at', now) end
return { 'ok', version }
