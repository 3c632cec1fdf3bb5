// GLB files against Khronos' validator: no errors, no warnings, no hints.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import validator from 'gltf-validator';
import { amble, buildDir, chain, outDir, realClips, writeBvh } from './support.mjs';

async function issuesOf(bytes) {
    const report = await validator.validateBytes(new Uint8Array(bytes), { maxIssues: 20 });
    return report;
}

async function check(path) {
    const { issues, info } = await issuesOf(readFileSync(path));
    const texts = issues.messages.map((m) => `${m.code} ${m.pointer}: ${m.message}`);
    assert.deepEqual(texts, [], basename(path));
    assert.equal(issues.numErrors + issues.numWarnings + issues.numInfos + issues.numHints, 0);
    return info;
}

test('an exported biped has nothing for the validator to say', async () => {
    const output = join(outDir, 'biped.glb');
    amble('export', writeBvh('biped'), '-o', output);
    const info = await check(output);
    assert.equal(info.animationCount, 1);
    assert.equal(info.drawCallCount, 1);
});

test('more than 256 joints need wider indices', async () => {
    const output = join(outDir, 'chain.glb');
    amble('export', writeBvh('chain', chain(300), 5), '-o', output);
    const info = await check(output);
    assert.ok(info.totalVertexCount >= 299 * 24);
});

test('files that the C tests wrote are as clean', async () => {
    const folder = join(buildDir, 'test-files/glb');
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.glb')) : [];
    assert.ok(files.length >= 4, `the C tests left ${files.length} GLB files in ${folder}`);
    for (const file of files) {
        await check(join(folder, file));
    }
});

test('captured motion is as clean', async (t) => {
    const clips = [...realClips('locomotion', 2), ...realClips('accad_male1', 1)];
    if (clips.length === 0) {
        t.skip('no captured motion here');
        return;
    }
    for (const clip of clips) {
        const output = join(outDir, `${basename(clip, '.bvh')}.glb`);
        amble('export', clip, '--unit-m', clip.includes('locomotion') ? '0.0564444' : '0.01', '-o', output);
        await check(output);
    }
});

test('the validator does find a planted fault', async () => {
    const bytes = readFileSync(join(outDir, 'biped.glb'));
    const at = bytes.indexOf('"WEIGHTS_0"');
    bytes.write('"WEIGHTS_7"', at);
    const { issues } = await issuesOf(bytes);
    assert.ok(issues.numErrors > 0);
});
