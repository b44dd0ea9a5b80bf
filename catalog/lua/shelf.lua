-- Count what shoppers asked about, and decide which products are on the hot shelf.
--
-- KEYS  as in cells.lua; then traffic (sorted set: member -> weight), shelf (hash: epoch and
--       half_life, by which weights are read; members, JSON in order; decided, seconds), pins (hash:
--       id -> JSON [actor, since, until])
-- ARGV  now in seconds ('' for this server's clock), half-life in seconds, places, hysteresis, entries
--       kept, seconds for which a decision stands; then member and hits, for each counted
--       A member is 'locale:id'.
-- Returns {member, count as of now, '1' if it is pinned or '0', member...}: pins first, then by count
--
-- Forward decay: a hit at t weighs 2^((t - epoch) / half_life), so that nothing ever has to be
-- decayed; a count is a weight divided by what a hit weighs now. Before that grows too large for
-- its precision, the epoch moves on and all weights are divided once.

local traffic, shelf, pins = KEYS[9], KEYS[10], KEYS[11]
local half_life, places, hysteresis = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local entries, stands = tonumber(ARGV[5]), tonumber(ARGV[6])
local FARTHEST = 40  -- half-lives from the epoch before weights are divided
local FORGOTTEN = 0.01  -- a count so small leaves

local now_s = tonumber(ARGV[1])
if not now_s then
  local time = redis.call('TIME')
  now_s = time[1] + time[2] / 1000000
end
local function number(value) return string.format('%.17g', value) end

-- the clock
local kept = redis.call('HMGET', shelf, 'epoch', 'half_life', 'members', 'decided')
local epoch, old_half_life = tonumber(kept[1] or now_s), tonumber(kept[2] or half_life)
local weight = 2 ^ ((now_s - epoch) / old_half_life)
if not kept[1] or old_half_life ~= half_life or weight > 2 ^ FARTHEST then
  for item, value in ipairs(redis.call('ZRANGE', traffic, 0, -1, 'WITHSCORES')) do
    if item % 2 == 1 then
      local score = redis.call('ZSCORE', traffic, value)
      redis.call('ZADD', traffic, number(tonumber(score) / weight), value)
    end
  end
  epoch, weight = now_s, 1
  redis.call('HSET', shelf, 'epoch', number(epoch), 'half_life', number(half_life))
end

-- hits
for item = 7, #ARGV, 2 do
  redis.call('ZINCRBY', traffic, number(tonumber(ARGV[item + 1]) * weight), ARGV[item])
end
redis.call('ZREMRANGEBYSCORE', traffic, '-inf', number(FORGOTTEN * weight))
redis.call('ZREMRANGEBYRANK', traffic, 0, -entries - 1)

local function count(member)
  return tonumber(redis.call('ZSCORE', traffic, member) or 0) / weight
end
local function id_of(member) return string.sub(member, string.find(member, ':', 1, true) + 1) end

local function present(ids)  -- id -> revision, of those that exist
  local found = {}
  read(index, ids, function(item, cell)
    local version, revision = entry(cell)
    if version > 0 then found[ids[item]] = revision end
  end)
  return found
end

local function pinned()  -- members, in the products' own locales
  local ids, all = {}, redis.call('HGETALL', pins)
  for item = 1, #all, 2 do
    local till = cjson.decode(all[item + 1])[3]
    if till == cjson.null or now_s < till then ids[#ids + 1] = all[item] end
  end
  local members = {}
  for id, revision in pairs(present(ids)) do
    local record = redis.call('HGET', records, revision)
    if record then members[#members + 1] = cjson.decode(record).locale .. ':' .. id end
  end
  return members
end

local function sorted(members)  -- {member, count}, the most asked first
  local rows = {}
  for item, member in ipairs(members) do rows[item] = { member, count(member) } end
  table.sort(rows, function(a, b)
    if a[2] ~= b[2] then return a[2] > b[2] end
    return a[1] < b[1]
  end)
  return rows
end

local function existing(members)  -- those whose product exists; the others are counted no more
  local ids, alive = {}, {}
  for item, member in ipairs(members) do ids[item] = id_of(member) end
  local found = present(ids)
  for item, member in ipairs(members) do
    if found[ids[item]] then
      alive[#alive + 1] = member
    else
      redis.call('ZREM', traffic, member)
    end
  end
  return alive
end

local function decide(before)
  local pins_now, taken = sorted(pinned()), {}
  for _, row in ipairs(pins_now) do taken[row[1]] = true end
  local room = math.max(places - #pins_now, 0)
  local inside, outside = {}, {}
  for _, member in ipairs(existing(before)) do
    if not taken[member] and redis.call('ZSCORE', traffic, member) then
      inside[#inside + 1] = member
      taken[member] = true
    end
  end
  local top = redis.call('ZREVRANGE', traffic, 0, places + #before + #pins_now)
  for _, member in ipairs(existing(top)) do
    if not taken[member] then outside[#outside + 1] = member end
  end
  inside, outside = sorted(inside), sorted(outside)
  while #inside > room do table.remove(inside) end
  local least = #inside  -- the member that the next newcomer has to beat
  for _, row in ipairs(outside) do
    if #inside < room then
      inside[#inside + 1] = row
    elseif least > 0 and row[2] > inside[least][2] * (1 + hysteresis) then
      inside[least] = row
      least = least - 1
    else
      break
    end
  end
  local members, flags = {}, {}
  for item, row in ipairs(pins_now) do members[item], flags[item] = row[1], '1' end
  local names = {}
  for item, row in ipairs(inside) do names[item] = row[1] end
  for _, row in ipairs(sorted(names)) do
    members[#members + 1] = row[1]
    flags[#flags + 1] = '0'
  end
  return members, flags
end

-- the shelf
local shown = kept[3] and cjson.decode(kept[3]) or { {}, {} }
local since = kept[4] and now_s - tonumber(kept[4])
if not since or since < 0 or since >= stands then
  local members, flags = decide(shown[1])
  shown = { members, flags }
  redis.call('HSET', shelf, 'members', cjson.encode(shown), 'decided', number(now_s))
end
local reply = {}
for item, member in ipairs(shown[1]) do
  reply[#reply + 1] = member
  reply[#reply + 1] = number(count(member))
  reply[#reply + 1] = shown[2][item]
end
return reply
