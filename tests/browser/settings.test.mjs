// The panel's settings come from the library's table of options: every row of the method that plays has its control,
// a control changes the character, and what is out of range is refused in the library's words.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { amble, openHalted, openStudio, outDir } from './support.mjs';

let server, browser, page;

before(async () => {
    server = await openStudio(join(outDir, 'studio'));
    browser = await openHalted(server, 'synth');
    page = browser.page;
});
after(async () => {
    await browser?.close();
    await server?.stop();
});

const options = async () => (await page.evaluate(() => window.amble.engine.options)).options;
const value = async (key) => (await options()).find((item) => item.key === key).value;
const notice = () => page.evaluate(() => {
    const box = document.getElementById('notice');
    return box.hidden ? null : box.textContent;
});

async function setMethod(name) {
    await page.selectOption('#method', name);
    await page.waitForFunction((wanted) => window.amble.state().method === wanted, name, { timeout: 60000 });
}

/** Types a number into the field of an option. */
async function type(key, text) {
    await page.evaluate((id) => {
        document.getElementById(id).closest('details')?.setAttribute('open', '');
    }, key);
    await page.fill(`[id="${key}-value"]`, text);
    await page.press(`[id="${key}-value"]`, 'Enter');
}

/** The rows of `amble run --options` that a method has: [key, values]. */
function printed(method) {
    return amble('run', '--options').trim().split('\n').slice(2).map((line) => line.split('|').map((cell) => cell.trim()))
        .filter(([, , , , methods]) => methods === 'all' || methods.split(', ').includes(method))
        .map(([, key, values]) => [key.replaceAll('`', ''), values]);
}

/** What the panel has for an option, in the words of `amble run --options`. */
const control = (option) => page.evaluate(({ key, type: kind, unit }) => {
    const element = document.getElementById(key);
    const field = document.getElementById(`${key}-value`);
    const brief = (text) => String(Number(text)).replace(/^1000000$/, '1e+06');
    const title = element?.closest('[title]').title;
    const values = { number: () => `${brief(field.min)} to ${brief(field.max)}${unit ? ` ${unit}` : ''}`,
        choice: () => [...element.options].map((item) => `\`${item.value}\``).join(', '),
        switch: () => (element.type === 'checkbox' ? 'true, false' : 'no box'), tags: () => (element.type === 'text' ? 'a tag query' : 'no text'),
        weights: () => `an object of factors, ${[...element.querySelectorAll('input[type=number]')].map((item) => `${item.min} to ${item.max}`)[0]}` };
    values.integer = values.number;
    return element && { title, values: values[kind]() };
}, option);

async function hasAll(method) {
    const rows = await options();
    assert.deepEqual(rows.map(({ key }) => key), printed(method).map(([key]) => key));
    for (const [i, [key, values]] of printed(method).entries()) {
        const shown = await control(rows[i]);
        assert.ok(shown, `${key} is on the panel`);
        assert.equal(shown.values, values, key);
        assert.ok(shown.title.includes(rows[i].help), `${key} is explained`);
    }
    const inSight = await page.locator('#settings label').count();
    assert.ok(inSight >= 4 && inSight <= 8, `${inSight} in sight`);
    const wide = await page.evaluate(() => [...document.querySelectorAll('#panel label')]
        .filter((row) => row.scrollWidth > row.clientWidth + 1).map((row) => row.textContent));
    assert.deepEqual(wide, [], 'no row is wider than the panel');
}

for (const method of ['match', 'long-horizon', 'field']) {
    test(`the panel has every option of ${method} with its range`, async () => {
        await setMethod(method);
        await hasAll(method);
    });
}

test('a control changes the character, by slider, field, choice, box, tags and weights', async () => {
    await setMethod('match');
    await page.evaluate(() => {
        const slider = document.getElementById('stay_bias');
        slider.value = 2.5;
        slider.dispatchEvent(new Event('change'));
    });
    assert.equal(await value('stay_bias'), 2.5);
    await type('velocity_halflife_s', '0.3');
    assert.ok(Math.abs(await value('velocity_halflife_s') - 0.3) < 1e-6);
    await page.selectOption('#root', 'simulation');
    assert.equal(await value('root'), 'simulation');
    await page.uncheck('#ik');
    assert.equal(await value('ik'), false);
    await page.fill('#tags', 'walk or idle');
    await page.press('#tags', 'Enter');
    assert.equal(await value('tags'), 'walk or idle');
    await type('weights-left_foot_position', '0');
    assert.equal((await value('weights')).left_foot_position, 0);
    const costs = await page.evaluate(() => {
        window.amble.studio.reset(); // new characters have all of it, too
        return Array.from({ length: 60 }, () => window.amble.advance(1)).map((now) => now.costs[window.amble.engine.about.channels.indexOf('left_foot_position')]);
    });
    assert.ok(costs.every((cost) => cost === 0), 'a channel without weight costs nothing');
    assert.equal(await notice(), null);
});

test('settings stay with another method, and what was not set has its own default', async () => {
    await setMethod('field');
    assert.equal(await value('ik'), false);
    assert.ok(Math.abs(await value('velocity_halflife_s') - 0.3) < 1e-6);
    assert.equal(await value('root'), 'simulation');
    await setMethod('match');
    await page.selectOption('#root', 'mixed');
    await setMethod('field');
    assert.equal(await value('root'), 'animation');
    await setMethod('match');
    assert.equal(await value('root'), 'mixed');
});

test('a double click on a name brings the default back', async () => {
    for (const key of ['stay_bias', 'ik', 'velocity_halflife_s']) {
        await page.dblclick(`label:has(#${key}) > span`);
        const row = (await options()).find((item) => item.key === key);
        assert.equal(row.value, row.default, key);
    }
    assert.equal(await page.inputValue('[id="velocity_halflife_s-value"]'), '0.18');
});

test('what is out of range is refused in the words of the table', async () => {
    await type('search_every_s', '61');
    assert.match(await notice(), /"search_every_s" is 61, but should be from 0.001 to 60/);
    assert.ok(Math.abs(await value('search_every_s') - 1 / 6) < 1e-6, 'the character keeps its own');
    assert.equal(await page.inputValue('[id="search_every_s-value"]'), '0.167', 'and the panel shows it');
    await type('search_every_s', '0.2');
    assert.equal(await notice(), null);
    await page.fill('#tags', 'walk and (');
    await page.press('#tags', 'Enter');
    assert.ok(await notice(), 'a query that is none');
    assert.equal(await value('tags'), 'walk or idle');
    await page.fill('#tags', '');
    await page.press('#tags', 'Enter');
    assert.equal(await notice(), null);
    const refused = (values) => page.evaluate((given) => {
        try {
            window.amble.engine.set(given);
            return null;
        } catch (error) {
            return error.message;
        }
    }, values);
    assert.match(await refused({ stay_bais: 1 }), /stay_bias/);
    assert.match(await refused({ task: 'line' }), /not an option of the controller 'match'/);
    assert.match(await refused({ root: 'mixt' }), /mixed/);
});

test('another data set has its own tags, weights and walk', async () => {
    await type('walk_mps', '2');
    await page.selectOption('#set', 'locomotion');
    await page.waitForFunction(() => window.amble.state().set === 'locomotion', null, { timeout: 60000 });
    await page.evaluate(() => window.amble.pause());
    await hasAll('learned');
    assert.ok(Object.values(await value('weights')).every((weight) => weight === 1));
    assert.ok(Math.abs(await value('walk_mps') - 1.2) < 0.3, `walks at ${await value('walk_mps')}`);
    assert.ok(Math.abs(await value('search_every_s') - 0.2) < 1e-6, 'the other settings stay');
    assert.deepEqual(browser.errors, []);
});
