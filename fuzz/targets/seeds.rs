//! Writes the seeds of every target to `fuzz/corpus/TARGET/`, and those of each reader, as input of
//! that reader alone, to `fuzz/corpus/read-EXTENSION/`.

use std::path::Path;

use star_fuzz::seeds::{Seed, seeds};
use star_io::Format;

fn main() -> std::io::Result<()> {
    for target in star_fuzz::TARGETS {
        keep(target.name, &seeds(target.name))?;
    }
    let files = seeds("read");
    for (idx, format) in Format::ALL.iter().enumerate() {
        let of_format = files.iter().filter(|(_, bytes)| usize::from(bytes[0]) == idx);
        let alone: Vec<Seed> =
            of_format.map(|(name, bytes)| (name.clone(), bytes[1..].to_vec())).collect();
        keep(&format!("read-{}", format.extensions()[0]), &alone)?;
    }
    Ok(())
}

fn keep(name: &str, seeds: &[Seed]) -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    std::fs::create_dir_all(&folder)?;
    for (name, bytes) in seeds {
        std::fs::write(folder.join(name), bytes)?;
    }
    println!("{}: {} seeds", folder.display(), seeds.len());
    Ok(())
}
