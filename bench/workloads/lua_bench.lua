-- SPDX-License-Identifier: MIT
-- A script that keeps an interpreter busy in its usual ways: tables, strings, closures, calls, sorting, patterns.
-- usage: lua lua_bench.lua [ROUNDS]

local rounds = tonumber(arg and arg[1]) or 12

local seed = 42
local function random(limit) -- the same sequence everywhere
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed // 65536 % limit + 1
end

local function fibonacci(n)
  if n < 2 then return n end
  return fibonacci(n - 1) + fibonacci(n - 2)
end

local function sorting(count)
  local list = {}
  for i = 1, count do list[i] = random(1000000) end
  table.sort(list, function(a, b) return a < b end)
  for i = 2, count do assert(list[i - 1] <= list[i]) end
  return list[1] + list[count]
end

local function words(count)
  local names, text = { "alpha", "beta", "gamma", "delta", "epsilon" }, {}
  for i = 1, count do text[i] = names[random(#names)] .. random(100) end
  local seen, total = {}, 0
  for word in table.concat(text, " "):gmatch("%a+%d+") do seen[word] = (seen[word] or 0) + 1 end
  for _, n in pairs(seen) do total = total + n end
  assert(total == count)
  return total
end

local Account = {}
Account.__index = Account
function Account.new() return setmetatable({ balance = 0 }, Account) end
function Account:deposit(amount) self.balance = self.balance + amount end

local function objects(count)
  local account = Account.new()
  for i = 1, count do account:deposit(i % 7) end
  return account.balance
end

local function producer(count)
  return coroutine.wrap(function() for i = 1, count do coroutine.yield(i) end end)
end

local function coroutines(count)
  local sum = 0
  for i in producer(count) do sum = sum + i end
  return sum
end

local check = 0
for _ = 1, rounds do
  check = check + fibonacci(24) + sorting(20000) + words(20000) + objects(200000) + coroutines(50000)
end
print("result check " .. check)
