// The user study of study.js on the studio's page:
//     ./run studio --no-open
//     node lab/study/run.mjs 'http://localhost:8080/?set=cmu' [SEED]
// opens Chromium with it; needs the packages of tests/browser (sh tests/browser/install.sh).
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const study = fileURLToPath(new URL('study.js', import.meta.url));

/** Starts the study on a page that shows the studio: window.amble.study. Without a seed another one each time. */
export async function addStudy(page, seed) {
    await page.waitForFunction(() => window.amble, null, { timeout: 60000 });
    await page.addScriptTag({ path: study, type: 'module' });
    await page.waitForFunction(() => window.amble.Study);
    await page.evaluate((given) => {
        window.amble.study = new window.amble.Study(window.amble.studio, given);
    }, seed);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const { chromium } = createRequire(new URL('../../tests/browser/', import.meta.url))('playwright-core');
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: false });
    const page = await browser.newPage({ viewport: null });
    await page.goto(process.argv[2] ?? 'http://localhost:8080/');
    await addStudy(page, process.argv[3] ? Number(process.argv[3]) : undefined);
}
