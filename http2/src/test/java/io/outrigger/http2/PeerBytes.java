package io.outrigger.http2;

import io.outrigger.http2.Script.Act;
import io.outrigger.http2.Script.Does;
import io.outrigger.http2.Script.Sends;
import io.outrigger.http2.Script.Step;
import io.outrigger.http2.testing.Frames;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Converts scripts to bytes, and any bytes to a script. The first byte selects the side under test
 * and whether SETTINGS were exchanged before. The other bytes are the peer's frames, except for
 * frames of a few unused types, which encode actions of the layer above.
 */
final class PeerBytes {
  private static final int TO_SERVER = 1;
  private static final int WITHOUT_SETTINGS = 2;
  private static final int FIRST_ACT = 0xf0;

  private static final List<Act> ACTS = List.of(Act.values());

  private PeerBytes() {}

  static byte[] of(Script script) {
    var out = new ByteArrayOutputStream();
    out.write(WITHOUT_SETTINGS | (script.server() ? TO_SERVER : 0));
    for (Step step : script.steps()) {
      if (step instanceof Sends sends) {
        out.writeBytes(sends.bytes());
      } else if (step instanceof Does does) {
        out.writeBytes(Frames.frame(FIRST_ACT + ACTS.indexOf(does.act()), 0, does.id()));
      }
    }
    return out.toByteArray();
  }

  static Script script(byte... bytes) {
    int how = bytes.length == 0 ? 0 : bytes[0];
    List<Step> steps = new ArrayList<>();
    if ((how & WITHOUT_SETTINGS) == 0) {
      steps.add(Sends.of(Frames.settings()));
      steps.add(Sends.of(Frames.settingsAck()));
    }
    for (Sends sends : Script.cut(bytes, 1)) {
      int act = sends.frame().type() - FIRST_ACT;
      boolean isAct = act >= 0 && act < ACTS.size();
      steps.add(isAct ? new Does(ACTS.get(act), sends.frame().streamId()) : sends);
    }
    return new Script((how & TO_SERVER) != 0, steps);
  }
}
