-- Opens a file, parses it by tree-sitter, gets diagnostics, renames a variable, formats.
-- `editors/test` runs it, with the parser in a folder of 'runtimepath':
--   nvim --headless --clean -c "set runtimepath+=editors/nvim" -c "luafile editors/nvim/test/session.lua"
-- The environment variable STAR names the command `star`.

local function fail(why)
  io.stderr:write("failed: " .. why .. "\n")
  vim.cmd("cquit 1")
end

local function wait(what, condition)
  if not vim.wait(20000, condition, 20) then
    fail("no " .. what .. " in time")
  end
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

local folder = vim.fn.tempname()
vim.fn.mkdir(folder, "p")
local file = folder .. "/a.star"
vim.fn.writefile({
  "/* ж */ procedure P(var X: slice);",
  "var Y: slice;",
  "begin",
  "Y = X; X:=not Y",
  "end;",
}, file)
vim.g.star_command = vim.env.STAR
vim.cmd("runtime plugin/star.lua")
vim.cmd("edit " .. file)
local parsed = vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()]
if parsed == nil then
  fail("the parser is not loaded")
end
local root = vim.treesitter.get_parser(0):parse()[1]:root()
if root:has_error() or root:child(1):type() ~= "routine" then
  fail("the tree is " .. root:sexpr())
end
for _, name in ipairs({ "highlights", "folds", "indents", "locals", "tags" }) do
  local query = vim.treesitter.query.get("star", name)
  local captures = 0
  for _ in query:iter_captures(root, 0) do
    captures = captures + 1
  end
  if captures == 0 then
    fail("nothing is captured by " .. name)
  end
end
wait("server", function()
  return #vim.lsp.get_clients({ bufnr = 0, name = "star" }) == 1
end)
wait("diagnostics", function()
  local found = vim.diagnostic.get(0)
  return #found == 1 and found[1].code == "W0101" and found[1].lnum == 3 and found[1].col == 2
end)
vim.api.nvim_win_set_cursor(0, { 2, 4 })
vim.lsp.buf.rename("Rest")
wait("renamed text", function()
  return text():find("Rest = X; X:=not Rest", 1, true) ~= nil
end)
vim.lsp.buf.format({ async = false, timeout_ms = 20000 })
if not text():find("  Rest:=X; X:=not Rest", 1, true) then
  fail("the text is not formatted:\n" .. text())
end
io.stdout:write("1 passed, 0 failed\n")
vim.cmd("qall!")
