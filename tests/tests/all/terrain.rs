//! Module `terrain`: its Star texts and their natives make the same meshes and pictures; and what it refuses.

use star_base::{BitTable, BitVector};
use star_tests::case::{Random, traps};
use star_tests::run::Program;
use star_vm::HostValue;

use crate::cbt::same_everywhere;

/// Three viewpoints, one far away.
const SCRIPT: &str = "import \"star:terrain\";
procedure TRY(w: integer; Z: table; eps,near,s: integer; var sum: integer; var T,P,A: table);
var H: handle; i,a,b: integer;
begin
  TERRAIN_INIT(w,Z,eps,near,H);
  TERRAIN_MESH(H,A);
  sum:=0;
  for i:=0 to 2 do
  begin
    repeat
      TERRAIN_STEP(i*w,2*i*i,H,a,b);
      sum:=3*sum+7*a+11*b;
    until a+b=0;
  end;
  TERRAIN_STEP(1,1,H,a,b);
  TERRAIN_MESH(H,T);
  TERRAIN_PICTURE(H,s,3,P);
end;";

#[test]
fn star_texts_and_natives_make_the_same_mesh() {
    let program = Program::new(SCRIPT);
    let mut random = Random::new(14);
    let mut n_taken = 0;
    for (width, height) in [(2, 2), (3, 5), (5, 3), (9, 9), (12, 7)] {
        for [tolerance, near, scale] in [[0, 0, 1], [2, 1, 2], [1, 3, 3], [200, 0, 1]] {
            let columns: Vec<BitVector> =
                (0..7).map(|_| BitVector::from_bools(&random.bits(width * height, 20))).collect();
            let unset = HostValue::Unset;
            let args = [
                HostValue::Int(width as i64),
                HostValue::Table(BitTable::from_columns(width * height, &columns)),
                HostValue::Int(tolerance),
                HostValue::Int(near),
                HostValue::Int(scale),
                unset.clone(),
                unset.clone(),
                unset.clone(),
                unset,
            ];
            same_everywhere(&program, &args, &mut n_taken);
        }
    }
    assert!(n_taken > 20 * 8, "{n_taken}");
}

#[test]
fn what_is_no_terrain_ends_the_program_where_it_is_said() {
    for (n, calls, message) in [
        (1, "TERRAIN_INIT(1,Z,0,0,H)", "2 to 16385 samples in a row"),
        (4, "TERRAIN_INIT(0,Z,0,0,H)", "2 to 16385 samples in a row"),
        (4, "TERRAIN_INIT(-3,Z,0,0,H)", "2 to 16385 samples in a row"),
        (4, "TERRAIN_INIT(9223372036854775807,Z,0,0,H)", "2 to 16385 samples in a row"),
        (4, "TERRAIN_INIT(4,Z,0,0,H)", "2 to 16385 rows of samples"),
        (5, "TERRAIN_INIT(2,Z,0,0,H)", "the samples are no rows of w"),
        (4, "TERRAIN_INIT(2,Z,-1,0,H)", "eps is from 0"),
        (4, "TERRAIN_INIT(2,Z,0,-1,H)", "near is from 0"),
        (4, "TERRAIN_INIT(2,Z,0,0,H); TERRAIN_STEP(4194305,0,H,a,b)", "a viewpoint is from"),
        (4, "TERRAIN_INIT(2,Z,0,0,H); TERRAIN_PICTURE(H,0,1,P)", "1 to 64 pixels"),
        (4, "TERRAIN_INIT(2,Z,0,0,H); TERRAIN_PICTURE(H,1,0,P)", "1 to 65536 units"),
    ] {
        let text = format!(
            "import \"star:terrain\"; program P;
            var H: handle; Z: table({n},3); P: table; a,b: integer;
            begin Z(1,1):=1; {calls}; end."
        );
        let trap = traps(&text);
        assert!(trap.starts_with("T0111"), "{calls}: {trap}");
        assert!(trap.contains(message), "{calls}: {trap}");
        assert!(trap.contains(" 3:"), "{calls}: {trap}");
    }
}
