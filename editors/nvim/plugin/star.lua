-- Star in Neovim 0.10 or later: the language server for every `.star` file, and its colours by
-- tree-sitter if the parser `parser/star.so` is on 'runtimepath'.
--
-- Add the folder `editors/nvim` to 'runtimepath'. `vim.g.star_command` names the command `star` if it
-- is not on the PATH.

vim.filetype.add({ extension = { star = "star_machine" } })
vim.treesitter.language.register("star", "star_machine")

vim.api.nvim_create_autocmd("FileType", {
  pattern = "star_machine",
  callback = function(event)
    local file = vim.api.nvim_buf_get_name(event.buf)
    vim.bo[event.buf].commentstring = "// %s"
    vim.bo[event.buf].shiftwidth = 2
    vim.bo[event.buf].expandtab = true
    -- Fails without the parser: the language server colours names then.
    pcall(vim.treesitter.start, event.buf)
    vim.lsp.start({
      name = "star",
      cmd = { vim.g.star_command or "star", "lsp" },
      root_dir = vim.fs.root(event.buf, ".git") or vim.fs.dirname(file),
    })
  end,
})

vim.api.nvim_create_autocmd("LspAttach", {
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client == nil or client.name ~= "star" then
      return
    end
    vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
    vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "BufWritePost" }, {
      buffer = event.buf,
      callback = function()
        vim.lsp.codelens.refresh({ bufnr = event.buf })
      end,
    })
    vim.keymap.set("n", "<localleader>l", vim.lsp.codelens.run, { buffer = event.buf, desc = "Run lens" })
  end,
})
