// Lets the reader of VS Code open chat sessions: `node vscode_chat.mjs WORKBENCH.js FILE...`
//
// WORKBENCH.js is `lib/vscode/out/vs/code/browser/workbench/workbench.js` of code-server (npm), which has VS Code as Microsoft
// builds it. The class that reads and writes the log (`objectMutationLog.ts`) is cut out of it. What it needs of the rest is a
// buffer that decodes as VS Code's does, with byte order marks kept, and `JSON.stringify`.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const ERROR = "Log file is missing an initial entry";
const decoder = new TextDecoder(undefined, { ignoreBOM: true });

class Bytes {
    constructor(bytes) {
        this.bytes = bytes;
        this.byteLength = bytes.length;
    }
    static fromString(text) {
        return new Bytes(new TextEncoder().encode(text));
    }
    indexOf(_, from) {
        return this.bytes.indexOf(10, from);
    }
    slice(start, end) {
        return new Bytes(this.bytes.subarray(start, end));
    }
    toString() {
        return decoder.decode(this.bytes);
    }
}

// The class around a text of the bundle, up to its closing brace.
function classAround(bundle, at) {
    const start = bundle.lastIndexOf("class{constructor(", at);
    let depth = 0;
    for (let end = bundle.indexOf("{", start); end < bundle.length; end++) {
        if (bundle[end] === "{") depth++;
        if (bundle[end] === "}" && --depth === 0) return bundle.slice(start, end + 1);
    }
    throw new Error("the class has no end");
}

// Names of the bundle that the class uses: the buffer, what writes JSON, the line feed, and what no kind of record leads to.
function reader(bundle) {
    const source = classAround(bundle, bundle.indexOf(ERROR));
    const [, buffer, json] = source.match(/return (\w+)\.fromString\((\w+)\(/);
    const [, feed] = source.match(/\.indexOf\((\w+),/);
    const [, never] = source.match(/default:(\w+)\(/);
    const unknown = () => {};
    return new Function(buffer, json, feed, never, `return ${source}`)(Bytes, JSON.stringify, "\n", unknown);
}

const [workbench, ...files] = process.argv.slice(2);
const Log = reader(readFileSync(workbench, "utf8"));
for (const file of files) {
    let said;
    try {
        const bytes = new Bytes(new Uint8Array(readFileSync(file)));
        const chat = file.endsWith(".json") ? JSON.parse(bytes.toString()) : new Log(null).read(bytes);
        said = `opens, ${[...chat.requests].length} requests`;
    } catch (error) {
        said = `does not open: ${error.message}`;
    }
    console.log(`${basename(file)}: ${said}`);
}
