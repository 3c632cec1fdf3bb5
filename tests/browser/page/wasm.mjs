// libamble as WebAssembly: reads motion files and writes GLB, for the tests to compare with the native command.
import createModule from '/wasm/amble_test_wasm.mjs';

const module = await createModule({ locateFile: (name) => `/wasm/${name}` });
const kinds = { bvh: 0, glb: 1, npz: 2 };

function hex(buffer) {
    return [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Reads a file: { error } or { clips: [{ frames, joints, hash }], glb: SHA-256 of the clips written as GLB }. */
async function read(url, name) {
    const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
    const at = module._test_alloc(bytes.length);
    module.HEAPU8.set(bytes, at);
    const kind = kinds[url.split('.').pop()];
    const count = module.ccall('test_read', 'number', ['number', 'number', 'number', 'string'], [at, bytes.length, kind, name]);
    module._test_free(at);
    if (count < 0) {
        return { error: module.ccall('test_error', 'string', [], []) };
    }
    const clips = [];
    for (let i = 0; i < count; i++) {
        clips.push({ frames: module._test_frames(i), joints: module._test_joints(i), hash: module.ccall('test_hash', 'string', ['number'], [i]) });
    }
    const size = module._test_write_glb();
    const data = module._test_written();
    // Memory may have grown meanwhile: the view is taken anew.
    const glb = hex(await crypto.subtle.digest('SHA-256', module.HEAPU8.slice(data, data + size)));
    module._test_clear();
    return { clips, glb };
}

window.libamble = { read };
