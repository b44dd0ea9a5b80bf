-- A page of the index, imports that are still being prepared left out.
--
-- KEYS  as in cells.lua
-- ARGV  cursor, about how many
-- Returns the next cursor ('0' at the end) and {id, 'version revision', id...}

local page = redis.call('HSCAN', index, ARGV[1], 'COUNT', ARGV[2])
local found = {}
for item = 1, #page[2], 2 do
  local version, revision = entry(page[2][item + 1])
  if version > 0 then
    found[#found + 1] = page[2][item]
    found[#found + 1] = version .. ' ' .. revision
  end
end
return { page[1], found }
