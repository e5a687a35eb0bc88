// Several files as one: a tar archive, which is a header and the bytes of each file, in blocks of 512 bytes.

const BLOCK = 512;
const encoder = new TextEncoder();

const octal = (number, digits) => number.toString(8).padStart(digits, "0");

function header(name, size, kind) {
  const block = new Uint8Array(BLOCK);
  const put = (text, index) => block.set(typeof text === "string" ? encoder.encode(text) : text, index);
  put(encoder.encode(name).subarray(0, 100), 0);
  put(octal(0o644, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  put(octal(size, 11), 124);
  put(octal(0, 11), 136);
  put("        ", 148); // the sum of the block is made as if it were blank
  put(kind, 156);
  put("ustar\u000000", 257);
  put(`${octal(block.reduce((sum, byte) => sum + byte, 0), 6)}\0 `, 148);
  return block;
}

const padding = (size) => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);

/** Returns the pax record of a name of any length and script: a line that begins with its length. */
function nameRecord(name) {
  const rest = ` path=${name}\n`;
  const size = encoder.encode(rest).length;
  let length = size + 1;
  while (size + String(length).length > length) length += 1;
  const record = encoder.encode(`${length}${rest}`);
  return [header("name", record.length, "x"), record, padding(record.length)];
}

/** Returns the files as one compressed archive. */
export function packFiles(files) {
  const parts = files.flatMap((file) => {
    const name = file.webkitRelativePath || file.name;
    return [...nameRecord(name), header(name, file.size, "0"), file, padding(file.size)];
  });
  const plain = new Blob([...parts, new Uint8Array(2 * BLOCK)]);
  return new Response(plain.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}
