// The server of an unpacked bundle, started as a client that knows bundles starts it: node bundle.mjs FOLDER_OF_THE_BUNDLE.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMcpConfigForManifest } from '@anthropic-ai/mcpb';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const folder = process.argv[2];
const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));

async function withServer(userConfig, use) {
  const { command, args } = await getMcpConfigForManifest({ manifest, extensionPath: folder, systemDirs: {}, userConfig,
                                                            pathSeparator: '/' });
  const client = new Client({ name: 'bundle', version: '1.0.0' });
  // Such clients start programs in the root folder.
  await client.connect(new StdioClientTransport({ command, args, cwd: '/', stderr: 'inherit' }));
  await use(client, async (call) => (await client.callTool({ name: 'run_in_sandbox', arguments: call })).structuredContent);
  await client.close();
}

await withServer({}, async (client, run) => {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), manifest.tools.map((tool) => tool.name));
  assert.equal(client.getServerVersion().version, manifest.version);
  assert.equal((await run({ runtime: 'python', code: 'print(6 * 7)' })).stdout, '42\n');
  assert.equal((await run({ command: ['true'], ro: [folder] })).error.code, 'policy');
  assert.equal((await run({ command: ['true'], net: 'host' })).error.code, 'policy');
});
await withServer({ folder, network: 'host' }, async (client, run) => {
  const seen = await run({ command: ['cat', join(folder, 'manifest.json')], ro: [folder] });
  assert.deepEqual(JSON.parse(seen.stdout), manifest);
  assert.equal((await run({ command: ['touch', join(folder, 'x')], ro: [folder] })).exit_code, 1);
});
