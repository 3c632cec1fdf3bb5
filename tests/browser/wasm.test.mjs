// libamble in a page: the same files give the same bits as with the native command.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { amble, openPage, outDir, realClips, serve, wasmDir, writeBvh } from './support.mjs';

let server, browser;
before(async () => {
    assert.ok(existsSync(join(wasmDir, 'amble_test_wasm.mjs')), `${wasmDir} has no amble_test_wasm: build the wasm preset`);
    server = await serve();
    browser = await openPage(`${server.url}/page/wasm.html`);
    await browser.page.waitForFunction(() => window.libamble);
});
after(async () => {
    await browser?.close();
    server?.close();
});

const readInPage = (file, name) => browser.page.evaluate(([url, text]) => window.libamble.read(url, text), [`/files/${file}`, name]);

/** Reads outDir/file on both sides and compares all there is. */
async function compare(file) {
    const path = join(outDir, file);
    const native = JSON.parse(amble('info', '--json', path)).clips;
    const page = await readInPage(file, path);
    assert.equal(page.error, undefined);
    assert.deepEqual(page.clips.map((clip) => clip.hash), native.map((clip) => clip.hash), file);
    assert.deepEqual(page.clips.map((clip) => clip.frames), native.map((clip) => clip.frames));
    const again = join(outDir, 'native.glb');
    amble('export', path, '-o', again);
    assert.equal(page.glb, createHash('sha256').update(readFileSync(again)).digest('hex'), `${file} written as GLB`);
}

test('a made-up clip has the same bits in the page, as BVH, GLB and NPZ', async () => {
    const bvh = writeBvh('bits');
    amble('export', bvh, '-o', join(outDir, 'bits.glb'));
    amble('export', bvh, '-o', join(outDir, 'bits.npz'));
    for (const file of ['bits.bvh', 'bits.glb', 'bits.npz']) {
        await compare(file);
    }
});

test('captured clips have the same bits in the page', async (t) => {
    const clips = [...realClips('locomotion', 3), ...realClips('accad_male1', 2)];
    if (clips.length === 0) {
        t.skip('no captured motion here');
        return;
    }
    for (const clip of clips) {
        copyFileSync(clip, join(outDir, basename(clip)));
        await compare(basename(clip));
    }
});

test('a damaged file is an error with words in the page, too', async () => {
    writeFileSync(join(outDir, 'cut.glb'), readFileSync(join(outDir, 'bits.glb')).subarray(0, 3000));
    const { error } = await readInPage('cut.glb', 'cut.glb');
    assert.match(error, /cut\.glb.*3000/);
});

test('the page has nothing to complain about', () => {
    assert.deepEqual(browser.errors, []);
});
