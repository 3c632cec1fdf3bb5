// Has the studio build the databases that several test files use, so that these files can run at once.
import { join } from 'node:path';
import { openStudio, outDir } from './support.mjs';

const server = await openStudio(join(outDir, 'studio'));
for (const name of ['synth', 'cmu', 'fields'].filter((wanted) => server.sets.includes(wanted))) {
    console.log(`progress: build the database ${name}`);
    const answer = await fetch(`${server.url}/db/${name}.amdb`);
    if (!answer.ok) {
        throw new Error(`the studio does not give ${name}.amdb: ${await answer.text()}`);
    }
    await answer.arrayBuffer();
}
await server.stop();
