// The official SDK's clients, both generations and all their modes, against the real program:
// node clients.mjs COCOON URL_OF_A_RUNNING_SERVER. Prints a line for each case; the exit code tells whether all were right.
import assert from 'node:assert/strict';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as Sse1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, SSEClientTransport as Sse2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const [cocoon, url] = process.argv.slice(2);
const about = { name: 'conformance', version: '1.0.0' };
const modern = '2026-07-28';
const patience = { timeout: 120_000 };

function transports(Stdio, Http, Sse) {
  return {
    stdio: () => new Stdio({ command: cocoon, args: ['mcp'], stderr: 'ignore' }),
    http: () => new Http(new URL(url)),
    sse: () => new Sse(new URL('/sse', url)),
  };
}

const kinds = [];
for (const [name, open] of Object.entries(transports(Stdio1, Http1, Sse1)))
  kinds.push({ name: `v1 ${name}`, version: 1, open, make: () => new Client1(about) });
for (const [name, open] of Object.entries(transports(Stdio2, Http2, Sse2)))
  for (const mode of name === 'sse' ? ['legacy'] : ['legacy', 'auto', { pin: modern }])
    kinds.push({
      name: `v2 ${name} ${mode.pin ? 'pinned' : mode}`, version: 2, open,
      make: () => new Client2(about, { versionNegotiation: { mode } }),
    });

const call = (kind, client, name, args, options = {}) =>
  kind.version === 1 ? client.callTool({ name, arguments: args }, undefined, { ...patience, ...options })
                     : client.callTool({ name, arguments: args }, { ...patience, ...options });
const run = (kind, client, args, options) => call(kind, client, 'run_in_sandbox', args, options);

const cases = {
  async 'lists and calls'(kind, client) {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), ['run_in_sandbox', 'run_pipeline', 'read_output', 'sandbox_info']);
    const result = await run(kind, client, { runtime: 'python', code: 'print(6*7)' });
    assert.equal(result.structuredContent.stdout, '42\n');
    assert.ok(result.content[0].text.includes('42'));
  },
  async 'a failing program is a result, a senseless call an error to read'(kind, client) {
    assert.equal((await run(kind, client, { command: ['false'] })).structuredContent.exit_code, 1);
    const refused = await run(kind, client, { command: ['true'], ro: ['/etc/shadow'] });
    assert.ok(refused.isError && refused.structuredContent.error.code === 'policy');
  },
  async 'an unknown tool'(kind, client) {
    await assert.rejects(call(kind, client, 'no_such_tool', {}), /no_such_tool|no tool/);
  },
  async 'progress'(kind, client) {
    const seen = [];
    await run(kind, client, { command: 'for i in 1 2 3; do echo step $i; sleep 0.6; done' },
              { onprogress: (progress) => seen.push(progress.message ?? '') });
    assert.ok(seen.join('').includes('step 1'), JSON.stringify(seen));
  },
  async 'cancelling and time'(kind, client) {
    const stop = new AbortController();
    setTimeout(() => stop.abort('enough'), 500);
    await assert.rejects(run(kind, client, { command: ['sleep', '100'] }, { signal: stop.signal }));
    await assert.rejects(run(kind, client, { command: ['sleep', '100'] }, { timeout: 300 }));
    assert.equal((await run(kind, client, { command: ['echo', 'still here'] })).structuredContent.stdout, 'still here\n');
  },
  async 'big and binary output'(kind, client) {
    const big = await run(kind, client, { runtime: 'python', code: "print('x' * 3000000)" });
    assert.ok(big.structuredContent.stdout_truncated);
    const part = await call(kind, client, 'read_output', { uri: big.structuredContent.full_stdout, offset: 2_999_990 });
    assert.equal(part.structuredContent.data, 'xxxxxxxxxx\n');
    const binary = await run(kind, client, { runtime: 'python', code: "import sys; sys.stdout.buffer.write(bytes(range(256)))" });
    const resource = await client.readResource({ uri: binary.structuredContent.full_stdout });
    assert.deepEqual([...Buffer.from(resource.contents[0].blob, 'base64')], [...Array(256).keys()]);
  },
  async 'resources and completion'(kind, client) {
    const { resources } = await client.listResources();
    for (const { uri } of resources) assert.ok((await client.readResource({ uri })).contents[0].text.length > 0);
    assert.ok((await client.listResourceTemplates()).resourceTemplates.length > 0);
    const done = await client.complete({ ref: { type: 'ref/resource', uri: 'cocoon://docs/runtime/{runtime}' },
                                         argument: { name: 'runtime', value: 'p' } });
    assert.ok(done.completion.values.includes('python'));
  },
};

let failed = 0;
for (const kind of kinds) {
  for (const [name, check] of Object.entries(cases)) {
    const client = kind.make();
    try {
      await client.connect(kind.open());
      await check(kind, client);
      await client.close();
      console.log(`ok    ${kind.name}: ${name}`);
    } catch (error) {
      ++failed;
      console.log(`WRONG ${kind.name}: ${name}\n      ${String(error.stack ?? error).split('\n').slice(0, 4).join('\n      ')}`);
      await client.close().catch(() => {});
    }
  }
}
console.log(`${failed} wrong`);
process.exit(failed ? 1 : 0);
