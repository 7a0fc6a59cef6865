// One wave, in the kernel of a window: cells receive it from their neighbours.
      rows[SLOT + id + 1u] = v;
      workgroupBarrier();
      {
        let above = rows[SLOT + id]; let below = rows[SLOT + id + 2u];
        var all = (above & up) | (below & down) | (to_right(v) & left) | (to_left(v) & right);
#ifdef DIAGONAL
        all |= (to_right(above) & up_left) | (to_left(above) & up_right);
        all |= (to_left(below) & down_right) | (to_right(below) & down_left);
#endif
        front = all & ~v & IS_LATER;
        v |= front;
      }
