// Runtime preset: PowerShell.
#include <cocoon/plugin.hpp>

// The .NET libraries lie beside the program. Nothing is reported to or fetched from anywhere.
COCOON_RUNTIME("pwsh", R"json({
  "name": "pwsh",
  "title": "PowerShell",
  "aliases": ["powershell", "ps1"],
  "find": ["pwsh"],
  "discover": ["/bin/sh", "-c", "real=$(readlink -f \"$1\") && printf '{\"executable\": \"%s\", \"directories\": [\"%s\"]}\\n' \"$real\" \"${real%/*}\"", "sh", "{exe}"],
  "version": ["{exe}", "--version"],
  "snippet": ["{exe}", "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", "{code}"],
  "snippet_file": "main.ps1",
  "script": ["{exe}", "-NoLogo", "-NoProfile", "-NonInteractive", "-File", "{file}"],
  "env": {
    "POWERSHELL_TELEMETRY_OPTOUT": "1",
    "POWERSHELL_UPDATECHECK": "Off",
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_EnableDiagnostics": "0"
  },
  "install": "see https://aka.ms/powershell (Debian and Ubuntu: apt install powershell from packages.microsoft.com; macOS: brew install powershell; Windows: winget install Microsoft.PowerShell)"
})json")
