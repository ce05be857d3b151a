#!/bin/sh
# curl.sh [URL]: one run over HTTP, without a session (protocol revision 2026-07-28). Start "cocoon serve" first.
set -eu
url=${1:-http://127.0.0.1:8765/mcp}
curl --silent --show-error --no-buffer "$url" ${COCOON_TOKEN:+-H "Authorization: Bearer $COCOON_TOKEN"} \
  -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
  -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: run_in_sandbox' \
  --data '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
    "name": "run_in_sandbox", "arguments": {"runtime": "python", "code": "print(6 * 7)"},
    "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}'
echo
