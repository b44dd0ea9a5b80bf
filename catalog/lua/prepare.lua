-- Put some products of an import beside what is there, not yet to be seen.
--
-- KEYS  as in cells.lua
-- ARGV  token, meta (JSON, one line), depth of history;
--       per product: id, expected version (-1 any, 0 absent), revision ('-' to delete, '=' to take
--       back what was prepared), sku keys, sku keys that were prepared for it before
-- Returns {ids and versions that are not as expected; these were left alone},
--         {sku keys, who has them, who wants them: right only if the one who has it gives it up; ''
--         if it is wanted no more, and the one who has it is to be prepared anew}

local token, meta, depth = ARGV[1], ARGV[2], tonumber(ARGV[3])
local WIDTH, BACK = 5, '='
local count = (#ARGV - 3) / WIDTH
local function field(item, number) return ARGV[3 + (item - 1) * WIDTH + number] end

-- products
local ids, cells, conflicts, items, held = {}, {}, {}, {}, {}
for item = 1, count do ids[item] = field(item, 1) end
read(index, ids, function(item, cell)
  local version, revision, keys, open = entry(cell)
  local expected = tonumber(field(item, 2))
  if expected >= 0 and expected ~= version then
    conflicts[#conflicts + 1] = ids[item]
    conflicts[#conflicts + 1] = string.format('%d', version)
    return
  end
  local new, settled = field(item, 3), line_of(version, revision, keys)
  items[#items + 1], held[item] = item, keys
  if new == BACK then
    if open == token then
      cells[#cells + 1] = ids[item]
      cells[#cells + 1] = settled
    end
    return
  end
  if open and open ~= token then lose(open, ids[item]) end
  local value = new == NONE and NONE or new .. ' ' .. field(item, 4)
  cells[#cells + 1] = ids[item]
  cells[#cells + 1] = settled .. '\1' .. token .. ' ' .. value
end)
send('HSET', index, cells)

-- their audit logs
local touched, logs = {}, {}
for position, item in ipairs(items) do touched[position] = ids[item] end
read(history, touched, function(position, cell)
  local item = items[position]
  local _, open = parts(cell)
  local lines, new = cut(log(cell), depth), field(item, 3)
  if new ~= BACK then
    lines = lines .. '\1' .. token .. ' ' .. new .. ' ' .. meta
  elseif open ~= token then
    return
  end
  logs[#logs + 1] = ids[item]
  logs[#logs + 1] = lines
end)
send('HSET', history, logs)
send('HDEL', records, dropped)

-- their SKUs: who shall have each key, '' for nobody, nil to take back
local keys, wants, whose = {}, {}, {}
local function want(key, id, by)
  keys[#keys + 1] = key
  wants[#keys], whose[#keys] = id, by
end
for _, item in ipairs(items) do
  local id, new = ids[item], {}
  local back = field(item, 3) == BACK
  for key in words(back and held[item] or field(item, 4)) do
    new[key] = true
    want(key, not back and id or nil, id)
  end
  for key in words(held[item]) do
    if not new[key] then want(key, '', id) end
    new[key] = true
  end
  for key in words(field(item, 5)) do
    if not new[key] then want(key, nil, id) end
  end
end
local claims, disputes, ours = {}, {}, {}
local function dispute(key, has, wanting)
  disputes[#disputes + 1] = key
  disputes[#disputes + 1] = has
  disputes[#disputes + 1] = wanting
end
read(skus, keys, function(position, cell)
  local key, id, by = keys[position], wants[position], whose[position]
  local has, open, would = owner(cell)
  if open and open ~= token then
    if not id then return end
    lose(open, would)
    lose(open, has)
    would = nil
  end
  if ours[key] ~= nil then would = ours[key] end
  if not id then
    if would ~= by and would ~= '' then return end
    ours[key] = false
    claims[#claims + 1] = key
    claims[#claims + 1] = has
    if has ~= '' and has ~= by then dispute(key, has, '') end
    return
  end
  if id == '' and would and would ~= '' and would ~= by then return end
  local rival = id ~= '' and (would and would ~= '' and would ~= id and would or has)
  if rival and rival ~= '' and rival ~= id then
    dispute(key, rival, id)
  end
  ours[key] = id
  claims[#claims + 1] = key
  claims[#claims + 1] = has == id and has or has .. '\1' .. token .. ' ' .. id
end)
send('HSET', skus, claims)
return { conflicts, disputes }
