package io.outrigger.http2;

import io.outrigger.http2.BlockReader.Block;
import io.outrigger.http2.Endpoint.Answer;
import io.outrigger.http2.Endpoint.Event;
import io.outrigger.http2.NettyHpack.Field;
import io.outrigger.http2.Past.Fate;
import io.outrigger.http2.Script.Sends;
import io.outrigger.http2.Script.Step;
import io.outrigger.http2.testing.Frame;
import java.util.List;

/**
 * A step to which both implementations respond in different ways.
 *
 * @param past the streams before the step
 * @param credit the total amount of DATA that we allow the peer to send, before the step
 * @param block the header block that ends with the step, as the peer has encoded it
 */
record Moment(
    boolean server, Past past, long credit, Step step, Block block, Answer ours, Answer nettys) {
  boolean isFrame(int type) {
    return step instanceof Sends sends && sends.frame().type() == type;
  }

  Frame frame() {
    return ((Sends) step).frame();
  }

  int id() {
    return step instanceof Sends sends ? sends.frame().streamId() : 0;
  }

  Fate fate() {
    return past.fate(id());
  }

  /** Whether the step is HEADERS, or the end of a header block. */
  boolean isHeaders() {
    return isFrame(FrameType.HEADERS) || isFrame(FrameType.CONTINUATION);
  }

  boolean isEmptyUpdate() {
    return isFrame(FrameType.WINDOW_UPDATE) && (frame().number(0) & Integer.MAX_VALUE) == 0;
  }

  boolean isAlive() {
    return fate() == Fate.OPEN || fate() == Fate.RECEIVE_ENDED;
  }

  /** Whether our only response is a reset of the frame's stream. */
  boolean weReset(Http2Error error) {
    return ours.resetsOnly(id(), error);
  }

  boolean nettyResets(Http2Error error) {
    return nettys.resetsOnly(id(), error);
  }

  /** Whether our response is the end of the connection. */
  boolean weEnd(Http2Error error) {
    return ours.error() == error;
  }

  boolean nettyEnds(Http2Error error) {
    return nettys.error() == error;
  }

  boolean nettySeesEnd() {
    Event last = nettys.heard().isEmpty() ? null : nettys.heard().get(nettys.heard().size() - 1);
    return (last instanceof Endpoint.Headers headers && headers.end())
        || (last instanceof Endpoint.Data data && data.end());
  }

  /** Whether Netty's response is to pass a header list on. */
  boolean nettyHandsOn() {
    return isHandedOn(nettys);
  }

  boolean weHandOn() {
    return isHandedOn(ours);
  }

  private static boolean isHandedOn(Answer answer) {
    return answer.isQuiet()
        && answer.heard().size() == 1
        && answer.heard().get(0) instanceof Endpoint.Headers;
  }

  /** The number of bytes in all DATA frames of the peer, including this one. */
  long sent() {
    return past.sent() + frame().payload().length;
  }

  /** The number of bytes in all DATA frames of this frame's stream, including this one. */
  int sentOnStream() {
    return past.sentOn(id()) + frame().payload().length;
  }

  /** Whether the header block follows the head of a message. */
  boolean isTrailers() {
    return past.hasHead(id());
  }

  List<Field> fields() {
    return block.fields();
  }

  /** The values of all fields named {@code name} in the header block that ends with this step. */
  List<String> values(String name) {
    return fields().stream().filter(field -> field.name().equals(name)).map(Field::value).toList();
  }
}
