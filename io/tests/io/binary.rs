//! Small binary files built byte by byte: PNG, TIFF, JPEG, NumPy arrays and archives of them.

/// The checksum of PNG and zip, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    })
}

/// A zlib stream without compression.
pub(crate) fn zlib(bytes: &[u8]) -> Vec<u8> {
    let (a, b) = bytes.iter().fold((1u32, 0u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (b + a) % 65521)
    });
    let mut stream = vec![0x78, 0x01];
    let blocks = bytes.chunks(0xffff);
    let n_blocks = blocks.len();
    for (idx, block) in blocks.enumerate() {
        stream.push(u8::from(idx + 1 == n_blocks));
        stream.extend((block.len() as u16).to_le_bytes());
        stream.extend((!(block.len() as u16)).to_le_bytes());
        stream.extend(block);
    }
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut bytes = (data.len() as u32).to_be_bytes().to_vec();
    let tagged = [&kind[..], data].concat();
    bytes.extend(&tagged);
    bytes.extend(crc32(&tagged).to_be_bytes());
    bytes
}

/// A PNG file; `more` are chunks before the pixels, `rows` the packed rows.
pub(crate) fn png(
    (width, height): (u32, u32),
    color: u8,
    depth: u8,
    more: &[(&[u8; 4], &[u8])],
    rows: &[&[u8]],
) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([depth, color, 0, 0, 0]);
    bytes.extend(chunk(b"IHDR", &header));
    for (kind, data) in more {
        bytes.extend(chunk(kind, data));
    }
    let filtered: Vec<u8> = rows.iter().flat_map(|row| [&[0], *row].concat()).collect();
    bytes.extend(chunk(b"IDAT", &zlib(&filtered)));
    bytes.extend(chunk(b"IEND", &[]));
    bytes
}

/// A TIFF file of one strip in either byte order: tags with their values (two bytes each), then the
/// samples.
pub(crate) fn tiff(is_little: bool, tags: &[(u16, &[u16])], samples: &[u8]) -> Vec<u8> {
    tiff_strips(is_little, tags, &[samples])
}

/// A TIFF file of several strips.
pub(crate) fn tiff_strips(is_little: bool, tags: &[(u16, &[u16])], strips: &[&[u8]]) -> Vec<u8> {
    let short = |n: u16| if is_little { n.to_le_bytes() } else { n.to_be_bytes() };
    let long = |n: u32| if is_little { n.to_le_bytes() } else { n.to_be_bytes() };
    let mut tags: Vec<(u16, Vec<u8>, u16, u32)> = tags
        .iter()
        .map(|(tag, values)| {
            let bytes = values.iter().flat_map(|&value| short(value)).collect();
            (*tag, bytes, 3, values.len() as u32)
        })
        .collect();
    let has_strips = !tags.iter().any(|(tag, ..)| *tag == 324);
    if has_strips {
        let n_strips = strips.len() as u32;
        tags.push((273, long(0).repeat(strips.len()), 4, n_strips)); // the offsets, set below
        let lens = strips.iter().flat_map(|strip| long(strip.len() as u32)).collect();
        tags.push((279, lens, 4, n_strips));
    }
    tags.sort();
    let values_at = 8 + 2 + tags.len() * 12 + 4;
    let n_values: usize = tags.iter().map(|(_, values, ..)| values.len()).filter(|&n| n > 4).sum();
    let samples_at = values_at + n_values;
    let mut bytes = if is_little { b"II*\0".to_vec() } else { b"MM\0*".to_vec() };
    bytes.extend(long(8));
    bytes.extend(short(tags.len() as u16));
    let mut values_here = Vec::new();
    for (tag, mut values, kind, n) in tags {
        if tag == 273 {
            let mut at = samples_at;
            values.clear();
            for strip in strips {
                values.extend(long(at as u32));
                at += strip.len();
            }
        }
        bytes.extend([short(tag), short(kind)].concat());
        bytes.extend(long(n));
        if values.len() > 4 {
            bytes.extend(long((values_at + values_here.len()) as u32));
            values_here.extend(values);
        } else {
            values.resize(4, 0);
            bytes.extend(values);
        }
    }
    bytes.extend(long(0));
    bytes.extend(values_here);
    assert_eq!(bytes.len(), samples_at);
    bytes.extend(strips.concat());
    bytes
}

/// A JPEG file of one 8 × 8 block in each component, all of medium brightness.
pub(crate) fn jpeg((width, height): (u16, u16), n_components: u8) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8];
    let mut segment = |marker: u8, data: &[u8]| {
        bytes.extend([0xff, marker]);
        bytes.extend((data.len() as u16 + 2).to_be_bytes());
        bytes.extend(data);
    };
    segment(0xdb, &[&[0][..], &[1; 64]].concat()); // a quantisation table
    let mut frame = vec![8];
    frame.extend([height.to_be_bytes(), width.to_be_bytes()].concat());
    frame.push(n_components);
    frame.extend((1..=n_components).flat_map(|id| [id, 0x11, 0]));
    segment(0xc0, &frame);
    // Codes of one bit: no difference of brightness, end of block.
    let table = [&[1][..], &[0; 15], &[0]].concat();
    segment(0xc4, &[&[0x00], &table[..]].concat());
    segment(0xc4, &[&[0x10], &table[..]].concat());
    let mut scan = vec![n_components];
    scan.extend((1..=n_components).flat_map(|id| [id, 0]));
    scan.extend([0, 63, 0]);
    segment(0xda, &scan);
    let blocks = usize::from(width).div_ceil(8) * usize::from(height).div_ceil(8);
    let n_bits = blocks * usize::from(n_components) * 2;
    bytes.extend(vec![0; n_bits / 8]);
    bytes.push(0xff >> (n_bits % 8) & 0x7f);
    bytes.extend([0xff, 0xd9]);
    bytes
}

/// A NumPy file.
pub(crate) fn npy(version: u8, header: &str, numbers: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((header.len() as u16).to_le_bytes()),
        _ => bytes.extend((header.len() as u32).to_le_bytes()),
    }
    bytes.extend(header.as_bytes());
    bytes.extend(numbers);
    bytes
}

/// The header of an array.
pub(crate) fn header(descr: &str, order: &str, shape: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n")
}

/// A zip file of stored parts.
pub(crate) fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, data) in parts {
        let len = (data.len() as u32).to_le_bytes();
        let mut common = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        common.extend(crc32(data).to_le_bytes());
        common.extend([len, len].concat());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend((bytes.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(name.as_bytes());
        bytes.extend(*data);
    }
    let start = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    let n_parts = (parts.len() as u16).to_le_bytes();
    bytes.extend([n_parts, n_parts].concat());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}
