//! Writes the seeds of every target to `fuzz/corpus/TARGET/`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for target in star_fuzz::TARGETS {
        let folder = corpus.join(target.name);
        std::fs::create_dir_all(&folder)?;
        let seeds = star_fuzz::seeds::seeds(target.name);
        for (name, bytes) in &seeds {
            std::fs::write(folder.join(name), bytes)?;
        }
        println!("{}: {} seeds", folder.display(), seeds.len());
    }
    Ok(())
}
