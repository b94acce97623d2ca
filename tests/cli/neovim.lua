-- Neovim as the client, set up with the words of docs/editors.md: open, see
-- the diagnostic, apply the action, undo.
local program, file = vim.env.RF, vim.env.FILE
local function check(ok, text)
  if not ok then
    io.stderr:write("FAIL: " .. text .. "\n")
    vim.cmd("cquit 1")
  end
end
local function wait(what, test)
  check(vim.wait(20000, test, 20), what)
end
local function lines()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

dofile("setup.lua")
vim.cmd("edit " .. file)
vim.bo.filetype = "cuda"
local before = lines()
local id
wait("the server does not start", function()
  local client = (vim.lsp.get_clients or vim.lsp.get_active_clients)()[1]
  id = client and client.id
  return id
end)
wait("no diagnostic", function() return #vim.diagnostic.get(0) == 1 end)
local d = vim.diagnostic.get(0)[1]
check(d.code == "rf-cascade" or d.message:match("cascade"), "wrong diagnostic")
check(d.lnum == 2 and d.col == 0, "wrong place")
check(d.source == "rf-rewrite", "wrong source")

local wanted
vim.ui.select = function(items, opts, choose)
  for i, item in ipairs(items) do
    if opts.format_item(item) == wanted then
      return choose(item, i)
    end
  end
  check(false, "no action '" .. wanted .. "'")
end
local function act(title)
  wanted = title
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  vim.lsp.buf.code_action()
end
act("Fuse this")
wait("the edit is not applied", function() return lines() ~= before end)
check(lines():match("#ifdef RF_REFERENCE"), "no guard")
wait("a diagnostic stays", function() return #vim.diagnostic.get(0) == 0 end)
local fused = lines()
vim.cmd("silent write")
vim.cmd("undo")
check(lines() == before, "undo is not one step")
wait("the diagnostic is not back", function()
  return #vim.diagnostic.get(0) == 1
end)
vim.cmd("redo")
check(lines() == fused, "redo")
wait("not settled", function() return #vim.diagnostic.get(0) == 0 end)
act("Revert to the author's code")
wait("not reverted", function() return lines() == before end)

-- beside clangd: both speak, and our action is among those of both
if vim.fn.executable("clangd") == 1 then
  local other = vim.lsp.start_client({
    name = "clangd", cmd = { "clangd" }, root_dir = vim.fn.getcwd(),
  })
  vim.lsp.buf_attach_client(0, other)
  local function said(by_us)
    return #vim.tbl_filter(function(found)
      return (found.source == "rf-rewrite") == by_us
    end, vim.diagnostic.get(0))
  end
  wait("clangd says nothing", function() return said(false) > 0 end)
  wait("beside clangd nothing is said", function() return said(true) == 1 end)
  act("Fuse this")
  wait("not fused beside clangd", function() return lines() == fused end)
  wait("not settled beside clangd", function() return said(true) == 0 end)
  vim.lsp.stop_client(other)
end

vim.lsp.stop_client(id)
wait("the server stays", function() return vim.lsp.client_is_stopped(id) end)

-- without a language server: `:make` fills the list of errors
vim.cmd("silent edit! " .. vim.env.OTHER)
vim.bo.makeprg = program .. [[ --check %]]
vim.cmd("silent make!")
local found = vim.tbl_filter(function(item)
  return item.valid == 1
end, vim.fn.getqflist())
check(#found == 2, "the finding and its note are no list of errors")
check(found[1].lnum == 3 and found[1].col == 1
      and vim.fn.bufname(found[1].bufnr):match(vim.env.OTHER),
      "a wrong place in the list of errors")
vim.cmd("qall!")
