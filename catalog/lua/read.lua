-- Cells as they are now, imports that are still being prepared left out.
--
-- KEYS  as in cells.lua
-- ARGV  'index' (-> 'version revision'), 'skus' (-> id) or 'history' (-> lines), then the fields
-- Returns a value for each field, '' if there is none

local kind = ARGV[1]
local fields, found = { unpack(ARGV, 2) }, {}
if kind == 'index' then
  read(index, fields, function(item, cell)
    local version, revision = entry(cell)
    found[item] = version > 0 and version .. ' ' .. revision or ''
  end)
elseif kind == 'skus' then
  read(skus, fields, function(item, cell) found[item] = (owner(cell)) end)
else
  read(history, fields, function(item, cell) found[item] = log(cell) end)
end
return found
