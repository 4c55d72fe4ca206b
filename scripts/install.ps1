# Installs mac-stats for the current user, or uninstalls it. It needs no administrator
# rights. In PowerShell, in the unpacked folder:
#
#   powershell -ExecutionPolicy Bypass -File install.ps1              install
#   powershell -ExecutionPolicy Bypass -File install.ps1 -Uninstall   remove; your data stays
param([switch]$Uninstall)
$ErrorActionPreference = 'Stop'

$folder = Join-Path $env:LOCALAPPDATA 'Programs\mac-stats'
$program = Join-Path $folder 'mac-stats.exe'
$entry = Join-Path ([Environment]::GetFolderPath('Programs')) 'mac-stats.lnk'

function Get-UserPath { @(([Environment]::GetEnvironmentVariable('Path', 'User') -split ';') | Where-Object { $_ -and $_ -ne $folder }) }
function Set-UserPath($list) { [Environment]::SetEnvironmentVariable('Path', ($list -join ';'), 'User') }

if (Get-Process -Name 'mac-stats' -ErrorAction SilentlyContinue | Where-Object { $_.Path -eq $program }) {
    throw 'mac-stats is running. Quit it in the menu of its icon, then try again.'
}
if ($Uninstall) {
    foreach ($path in $entry, $folder) {
        if (Test-Path -LiteralPath $path) {
            Remove-Item -LiteralPath $path -Recurse -Force
            Write-Output "removed: $path"
        }
    }
    Set-UserPath (Get-UserPath)
    Remove-ItemProperty -Path 'HKCU:\Software\Microsoft\Windows\CurrentVersion\Run' -Name 'mac-stats' -ErrorAction SilentlyContinue
    Write-Output "Your conversations, memory and settings stay in $(Join-Path $HOME '.mac-stats')."
    return
}
New-Item -ItemType Directory -Force -Path $folder | Out-Null
Copy-Item -LiteralPath (Join-Path $PSScriptRoot 'mac-stats.exe') -Destination $program -Force
$shortcut = (New-Object -ComObject WScript.Shell).CreateShortcut($entry)
$shortcut.TargetPath = $program
$shortcut.Arguments = '--window'
$shortcut.Description = "The machine's vitals and a chat with agents on your own Ollama"
$shortcut.Save()
Set-UserPath ((Get-UserPath) + $folder)
Write-Output "installed: $program" "Start it in the Start menu, or in a new terminal: mac-stats"
