package io.outrigger.http2;

import io.outrigger.http2.Script.Sends;
import io.outrigger.http2.Script.Step;
import io.outrigger.http2.ScriptDraw.Source;
import io.outrigger.http2.testing.Frames;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Converts a script's frames to bytes, changes some bytes, and reads the result as frames again.
 * Such input reaches more code of a connection than random bytes do. Actions of the layer above
 * keep their place between the frames.
 */
final class Damage {
  private static final int LENGTH_BYTES = 3;
  private static final int[] LIKELY = {0, 1, 0x20, 0x3a, 0x40, 0x7f, 0x80, 0xff};

  private final Source source;
  private final List<byte[]> frames = new ArrayList<>();

  private Damage(Source source, Script script) {
    this.source = source;
    for (Step step : script.steps()) {
      if (step instanceof Sends sends) {
        frames.add(sends.bytes());
      }
    }
  }

  static Script of(Source source, Script script) {
    var damage = new Damage(source, script);
    for (int i = source.below(4); i >= 0 && !damage.frames.isEmpty(); i--) {
      damage.add();
    }
    byte[] bytes = Frames.join(damage.frames.toArray(new byte[0][]));
    return new Script(script.server(), mixed(script.steps(), Script.cut(bytes, 0)));
  }

  /** Returns {@code steps} with the changed frames. */
  private static List<Step> mixed(List<Step> steps, List<Sends> frames) {
    List<Step> all = new ArrayList<>();
    int at = 0;
    for (Step step : steps) {
      if (!(step instanceof Sends)) {
        all.add(step);
      } else if (at < frames.size()) {
        all.add(frames.get(at++));
      }
    }
    all.addAll(frames.subList(at, frames.size()));
    return all;
  }

  private void add() {
    int at = source.below(frames.size());
    byte[] frame = frames.get(at);
    switch (source.below(12)) {
      case 0 -> frames.set(at, flipped(frame, FrameType.HEADER_BYTES));
      case 1, 2, 3 -> frames.set(at, flipped(frame, frame.length));
      case 4, 5 -> frames.set(at, with(frame, source.below(frame.length), likely()));
      case 6, 7 -> frames.set(at, spliced(frame, piece(frames.get(source.below(frames.size())))));
      case 8 -> frames.set(at, spliced(frame));
      case 9 -> Collections.swap(frames, at, source.below(frames.size()));
      case 10 -> frames.add(source.below(frames.size() + 1), frame);
      default -> frames.remove(at);
    }
  }

  private byte[] flipped(byte[] frame, int within) {
    int at = source.below(within);
    return with(frame, at, frame[at] ^ 1 << source.below(8));
  }

  private int likely() {
    int draw = source.below(2 * LIKELY.length);
    return draw < LIKELY.length ? LIKELY[draw] : source.below(256);
  }

  private static byte[] with(byte[] frame, int at, int value) {
    byte[] changed = frame.clone();
    changed[at] = (byte) value;
    return changed;
  }

  private byte[] piece(byte[] frame) {
    int from = source.below(frame.length);
    return Arrays.copyOfRange(frame, from, from + source.below(Math.min(40, frame.length - from)));
  }

  /** Replaces a part of the payload by {@code more}; the length field is usually adapted. */
  private byte[] spliced(byte[] frame, byte... more) {
    int from = FrameType.HEADER_BYTES + source.below(frame.length - FrameType.HEADER_BYTES + 1);
    int lost = source.below(1 + Math.min(8, frame.length - from));
    byte[] changed =
        Frames.join(
            Arrays.copyOf(frame, from), more, Arrays.copyOfRange(frame, from + lost, frame.length));
    if (source.below(4) > 0) {
      byte[] length = Frames.number(changed.length - FrameType.HEADER_BYTES);
      ByteBuffer.wrap(changed).put(length, Integer.BYTES - LENGTH_BYTES, LENGTH_BYTES);
    }
    return changed;
  }
}
