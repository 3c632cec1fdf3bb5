// Pushes on the page: a drag on the chest makes the character stagger the way of the drag, with an arrow that shows the
// force, and then it walks on; with matching and with networks alone.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { long, openHalted, openStudio, outDir, wasmDir } from './support.mjs';

const engine = existsSync(join(wasmDir, '../ode-wasm/lib/libode.a'));
const skip = engine ? false : 'no Open Dynamics Engine for WebAssembly';
let server, browser, page;

before(async () => {
    if (skip) {
        console.log(`SKIPPED: ${skip}`);
    }
    server = await openStudio(join(outDir, 'studio'));
    browser = await openHalted(server, 'synth');
    page = browser.page;
});
after(async () => {
    await browser?.close();
    await server?.stop();
});

const advance = (steps) => page.evaluate((count) => window.amble.advanceUnseen(count), steps);

/** Where a part is: in the world and on the screen. */
const where = (role) => page.evaluate((name) => {
    const { studio, engine } = window.amble;
    const at = (item) => studio.after.slice(7 * engine.about.roles[item] + 4, 7 * engine.about.roles[item] + 7);
    const part = at(name);
    studio.draw(0);
    return { x: part[0], z: part[2], screen: studio.stage.toScreen(part[0], part[2], part[1]) };
}, role);

/** Drags from a part by pixels; gives how the arrow looked before it was let go. */
async function drag(role, x, y) {
    const { screen } = await where(role);
    await page.mouse.move(screen.x, screen.y);
    await page.mouse.down();
    await page.mouse.move(screen.x + x, screen.y + y, { steps: 3 });
    // Chromium hands moves to the page with its next picture, which may be late on a busy machine.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const arrow = await page.evaluate(() => {
        const { studio } = window.amble;
        studio.draw(0);
        return { visible: studio.pusher.arrow.object.visible, force: studio.pusher.held?.force.toArray(), turned: studio.stage.turned };
    });
    await page.mouse.up();
    return arrow;
}

async function staggers(keys) {
    await page.evaluate(() => window.amble.studio.reset());
    for (const key of keys) {
        await page.keyboard.down(key);
    }
    await advance(90);
    const start = await page.evaluate(() => window.amble.engine.hash());
    const log = await page.evaluate(() => window.amble.studio.log.length);
    const arrow = await drag('chest', 100, 0); // to the right of the screen: -x
    assert.ok(arrow.visible, 'an arrow shows the force');
    assert.ok(Math.abs(arrow.force[0] + 200) < 3 && Math.abs(arrow.force[1]) < 1e-6 && Math.abs(arrow.force[2]) < 3, `200 N to -x, not ${arrow.force}`);
    assert.equal(arrow.turned, false, 'the camera stays');
    assert.equal(await page.evaluate(() => window.amble.engine.hash()), start, 'nothing moves before the next step');
    const pushed = await advance(19); // 0.3 s: 20 N s give a body of 70 kg 0.29 m/s, and the feet begin to take it back
    assert.equal(pushed.pushes, 1);
    // The same steps without the push: where it would be. A walk's own sway moves the chest by centimetres, too.
    const way = await page.evaluate(([steps]) => {
        const { studio, engine } = window.amble;
        const logged = studio.log.slice();
        const place = () => [studio.view.rootX, studio.after[7 * engine.about.roles.chest + 4]];
        const [x, chest] = place();
        window.amble.replay(logged.slice(0, steps).concat(logged.slice(steps).map(({ pushes, ...rest }) => rest)));
        const [plain, plainChest] = place();
        window.amble.replay(logged);
        return { x, plain, again: studio.view.rootX, chest, plainChest };
    }, [log]);
    assert.ok(way.chest < way.plainChest - 0.05, `the chest goes along: ${way.chest} instead of ${way.plainChest}`);
    assert.equal(way.again, way.x, 'a replay pushes as well');
    assert.ok(way.x < way.plain - 0.03, `it staggers to -x: ${way.x} instead of ${way.plain}`);
    await page.keyboard.down('w');
    await advance(60);
    const on = await advance(120);
    await Promise.all([...keys, 'w'].map((key) => page.keyboard.up(key)));
    assert.ok(on.speed > 0.5, `it walks on at ${on.speed} m/s`);
    assert.equal(on.fallback, 0);
}

test('a drag on the chest pushes a standing and a walking character, which walks on', { skip }, async () => {
    await staggers([]);
    await staggers(['w']);
});

test('a pushed character of networks alone staggers and walks on', { skip }, async () => {
    const networks = (await page.evaluate(() => window.amble.studio.sets)).find((set) => set.networks);
    if (!networks) {
        console.log('SKIPPED: no networks are shipped');
        return;
    }
    await page.selectOption('#set', networks.name);
    await page.waitForFunction((set) => window.amble.state().set === set, networks.name, { timeout: 60000 });
    await page.evaluate(() => window.amble.pause());
    await staggers(['w']);
    await page.selectOption('#set', 'synth');
    await page.waitForFunction(() => window.amble.state().set === 'synth', null, { timeout: 60000 });
    await page.evaluate(() => window.amble.pause());
});

test('a drag beside the body turns the camera, and drawing does not push', { skip }, async () => {
    await page.evaluate(() => window.amble.studio.reset());
    await advance(10);
    await page.evaluate(() => window.amble.studio.draw(0));
    await page.mouse.move(40, 200);
    await page.mouse.down();
    await page.mouse.move(90, 200, { steps: 3 });
    await page.mouse.up();
    assert.equal(await page.evaluate(() => window.amble.studio.stage.turned), true);
    assert.equal((await advance(2)).pushes, 0);
    await page.evaluate(() => window.amble.studio.stage.resetCamera());
});

test('a strip of pictures of a push', { skip: skip || long }, async () => {
    await page.evaluate(() => window.amble.studio.reset());
    await page.keyboard.down('w');
    await advance(90);
    const { screen } = await where('chest');
    await page.mouse.move(screen.x, screen.y);
    await page.mouse.down();
    await page.mouse.move(screen.x + 125, screen.y, { steps: 3 });
    // Seven moments a quarter of a second apart, each cut from the middle of the stage.
    const strip = await page.evaluate(async ([moments, every]) => {
        const { studio } = window.amble;
        const { canvas } = studio.stage;
        const width = Math.round(canvas.height * 0.62);
        const out = Object.assign(document.createElement('canvas'), { width: moments * width, height: canvas.height });
        for (let i = 0; i < moments; i++) {
            if (i === 1) {
                studio.pusher.up({ pointerId: studio.pusher.held.pointer, stopImmediatePropagation: () => {} });
            }
            if (i > 0) {
                window.amble.advance(every);
            }
            studio.draw(0.1);
            out.getContext('2d').drawImage(canvas, (canvas.width - width) / 2, 0, width, canvas.height, i * width, 0, width, canvas.height);
        }
        return out.toDataURL('image/png').split(',')[1];
    }, [7, 14]);
    await page.mouse.up();
    await page.keyboard.up('w');
    writeFileSync(join(outDir, 'push.png'), Buffer.from(strip, 'base64'));
    assert.ok(strip.length > 10000);
    assert.deepEqual(browser.errors, []);
});
