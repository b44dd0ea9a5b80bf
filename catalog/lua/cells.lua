-- What the scripts share: the keys, batches, and how the cells of the catalogue are read.
--
-- KEYS  head (hash: version, token of the newest write), index (hash: id -> 'version revision
--       skukey\tskukey...'), records (hash: revision -> product JSON, never changed), history (hash:
--       id -> lines, newest first: 'version revision milliseconds meta'), skus (hash: sku key -> id),
--       changes (stream), commits (hash: token -> 'version milliseconds'), lost (hash: token -> ids)
--
-- A cell of index, history or skus holds what is settled. An import that is being prepared adds
-- '\1token value' behind it; that counts from the moment its token is in `commits`, and never if it
-- does not come there. So an import of any size is shown by writing one small field.

local head, index, records, history, skus, changes, commits, lost = unpack(KEYS, 1, 8)
local BATCH = 1000
local NONE = '-'  -- revision of a product that is no more

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

local function words(keys) return string.gmatch(keys, '[^\t]+') end

local function now()
  local time = redis.call('TIME')
  return string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end

local commit_of = {}
local function committed(token)  -- {version, milliseconds} or false
  if commit_of[token] == nil then
    local line = redis.call('HGET', commits, token)
    commit_of[token] = line and { string.match(line, '^(%d+) (%d+)$') } or false
  end
  return commit_of[token]
end

local function parts(cell)  -- settled value, then token and value of an import if there is one
  local at = cell and string.find(cell, '\1', 1, true)
  if not at then return cell or '' end
  return string.sub(cell, 1, at - 1), string.match(cell, '^(%S+) (.*)$', at + 1)
end

local function entry(cell)  -- version (0: absent), revision, sku keys, token that is still open
  local settled, token, value = parts(cell)
  local done = token and committed(token)
  if done and value == NONE then return 0, nil, '' end
  if done then settled, token = done[1] .. ' ' .. value, nil end
  local version, revision, keys = string.match(settled, '^(%d+) (%S+) (.*)$')
  return tonumber(version or 0), revision, keys or '', token
end

local function line_of(version, revision, keys)
  return version > 0 and version .. ' ' .. revision .. ' ' .. keys or ''
end

local function owner(cell)  -- id or '', then token that is still open and the id it would give
  local settled, token, value = parts(cell)
  if token and committed(token) then return value end
  return settled, token, value
end

local function log(cell)  -- lines
  local settled, token, value = parts(cell)
  local done = token and committed(token)
  if not done then return settled end
  local revision, meta = string.match(value, '^(%S+) (.*)$')
  local line = done[1] .. ' ' .. revision .. ' ' .. done[2] .. ' ' .. meta
  return settled == '' and line or line .. '\n' .. settled
end

local function lose(token, id)  -- the import of this token must plan the product anew
  if id == '' then return end
  local ids = redis.call('HGET', lost, token)
  redis.call('HSET', lost, token, ids and ids .. '\n' .. id or id)
end

local dropped = {}  -- revisions that nothing refers to any more
local function cut(lines, depth)  -- the newest `depth` lines
  local position = 0
  for _ = 1, depth do
    position = string.find(lines, '\n', position + 1, true)
    if not position then return lines end
  end
  for revision in string.gmatch(string.sub(lines, position), '\n%d+ (%S+)') do
    dropped[#dropped + 1] = revision
  end
  return string.sub(lines, 1, position - 1)
end
