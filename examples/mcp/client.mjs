// A client with the official TypeScript SDK (npm install @modelcontextprotocol/sdk): node client.mjs [URL]
// Without a URL it starts "cocoon mcp" itself.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const url = process.argv[2];
const token = process.env.COCOON_TOKEN;
const transport = url
  ? new StreamableHTTPClientTransport(new URL(url), token ? { requestInit: { headers: { Authorization: `Bearer ${token}` } } } : {})
  : new StdioClientTransport({ command: process.env.COCOON ?? 'cocoon', args: ['mcp'] });
const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(transport);

const result = await client.callTool(
  { name: 'run_in_sandbox', arguments: { runtime: 'python', code: 'print(6 * 7)' } },
  undefined,
  { onprogress: ({ message }) => console.error('so far:', message), timeout: 600_000, resetTimeoutOnProgress: true });
console.log(result.structuredContent.status, result.structuredContent.stdout);
await client.close();
