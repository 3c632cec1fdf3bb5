// Networks exported as ONNX run in ONNX Runtime with the outputs that Amble has, within 1e-5. The C tests leave the
// files: NAME.onnx, and NAME.json with inputs and the outputs that Amble computed.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ort from 'onnxruntime-node';
import { buildDir } from './support.mjs';

const folder = join(buildDir, 'test-files', 'onnx');
const names = readdirSync(folder).filter((file) => file.endsWith('.onnx')).map((file) => file.slice(0, -5));

test('the C tests left networks', () => assert.ok(names.length >= 2, names.join(' ')));

function tensors(list) {
    return Object.fromEntries(list.map((t) => [t.name, new ort.Tensor('float32', Float32Array.from(t.data), t.dims)]));
}

for (const name of names) {
    test(`${name}.onnx gives Amble's outputs`, async () => {
        const session = await ort.InferenceSession.create(join(folder, `${name}.onnx`));
        const { inputs, outputs } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
        const got = await session.run(tensors(inputs));
        for (const wanted of outputs) {
            assert.deepEqual(got[wanted.name].dims, wanted.dims);
            wanted.data.forEach((value, i) => {
                const error = Math.abs(got[wanted.name].data[i] - value);
                assert.ok(error <= 1e-5 * Math.max(1, Math.abs(value)), `${wanted.name}[${i}] is off by ${error}`);
            });
        }
    });
}
