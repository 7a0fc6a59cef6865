// Compiles every kernel in a folder as a browser would: by Tint, the compiler of WGSL in Chrome, without a card.
//
//   cargo run --release -p star-benches -- shaders kernels
//   npm install --no-save webgpu && node shaders/check.mjs kernels
//
// It is no part of the tests, since it needs Node and Dawn. Prints what is refused; exit code 1 if anything is.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = process.argv[2];
if (folder === undefined) {
  console.error('usage: node shaders/check.mjs FOLDER');
  process.exit(2);
}
// The package lies where it was installed, which need not be beside this file.
const webgpu = createRequire(join(process.cwd(), 'any.js')).resolve('webgpu');
const { create, globals } = await import(pathToFileURL(webgpu));
Object.assign(globalThis, globals);
// Kept, since a device does not keep it.
const gpu = create(['backend=null']);
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice();

const files = readdirSync(folder).filter((name) => name.endsWith('.wgsl')).sort();
let refused = 0;
for (const file of files) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: readFileSync(join(folder, file), 'utf8') });
  const { messages } = await module.getCompilationInfo();
  const error = await device.popErrorScope();
  for (const { type, lineNum, linePos, message } of messages) {
    console.log(`${file}:${lineNum}:${linePos}: ${type}: ${message}`);
  }
  refused += error === null ? 0 : 1;
}
console.log(`${files.length} kernels, ${refused} refused`);
process.exit(refused === 0 && files.length > 0 ? 0 : 1);
