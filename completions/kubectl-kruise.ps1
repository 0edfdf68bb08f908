# PowerShell completion for kubectl-kruise
Register-ArgumentCompleter -Native -CommandName kubectl-kruise -ScriptBlock {
    param($word, $ast, $position)
    $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($word -eq '') { $words += '' }
    & kubectl-kruise __complete @words 2>$null | Where-Object { $_ -and -not $_.StartsWith(':') } | ForEach-Object {
        $value, $text = $_ -split "`t", 2
        if (-not $text) { $text = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
    }
}
