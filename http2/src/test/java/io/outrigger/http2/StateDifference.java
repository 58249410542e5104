package io.outrigger.http2;

import static io.outrigger.http2.Http2Error.FLOW_CONTROL_ERROR;
import static io.outrigger.http2.Http2Error.FRAME_SIZE_ERROR;
import static io.outrigger.http2.Http2Error.PROTOCOL_ERROR;
import static io.outrigger.http2.Http2Error.REFUSED_STREAM;
import static io.outrigger.http2.Http2Error.STREAM_CLOSED;

import io.outrigger.http2.Past.Fate;
import io.outrigger.http2.Script.Act;
import io.outrigger.http2.Script.Does;
import io.outrigger.http2.testing.Frames;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/** Differences in the effect of frames on their stream or the connection. */
@SuppressWarnings("ImmutableEnumChecker") // scripts are not modified
enum StateDifference implements Difference {
  PUSH_PROMISE_IS_AN_ERROR(
      "8.4: no client may send it, and as a client we forbid it; Netty looks at its size first, and"
          + " waits for our SETTINGS to be acknowledged",
      After.ENDS,
      m -> m.isFrame(FrameType.PUSH_PROMISE) && m.weEnd(PROTOCOL_ERROR),
      Script.toServer(Frames.frame(FrameType.PUSH_PROMISE, 0, 1))),
  CONNECT_PROTOCOL_IS_UNKNOWN(
      "6.5.2: a setting that is not supported is ignored; Netty checks that of RFC 8441",
      After.ENDS,
      m ->
          m.isFrame(FrameType.SETTINGS)
              && (m.ours().isQuiet() || m.ours().error() != null)
              && m.nettyEnds(PROTOCOL_ERROR)
              && hasWideConnectProtocol(m.frame().payload()),
      Script.toServer(Frames.settings(8, 2))),
  TWO_WRONG_SETTINGS(
      "6.5: a frame of several wrong settings: each names the error of another one",
      After.ENDS,
      m ->
          m.isFrame(FrameType.SETTINGS)
              && m.frame().payload().length > 6
              && m.weEnd(PROTOCOL_ERROR)
              && m.nettyEnds(FLOW_CONTROL_ERROR),
      Script.toClient(Frames.settings(2, 1, 4, -1))),
  SETTING_COMES_TWICE(
      "6.5.3: values are processed in the order in which they appear; to Netty the last one counts",
      After.ENDS,
      m ->
          m.isFrame(FrameType.SETTINGS)
              && hasSettingTwice(m.frame().payload())
              && (m.weEnd(PROTOCOL_ERROR) || m.weEnd(FLOW_CONTROL_ERROR))
              && m.nettys().isQuiet(),
      Script.toClient(Frames.settings(2, 1, 2, 0))),
  PRIORITY_ON_ITSELF(
      "5.4.1: what RFC 7540 made a stream error may end the connection: no RST_STREAM may name a"
          + " stream that is idle",
      After.ENDS,
      m ->
          m.isFrame(FrameType.PRIORITY)
              && m.weEnd(PROTOCOL_ERROR)
              && (m.nettyResets(PROTOCOL_ERROR) || m.nettyResets(FRAME_SIZE_ERROR)),
      Script.toServer(
          Frames.request(1),
          Frames.frame(Frames.PRIORITY, 0, 1, Frames.join(Frames.number(1), new byte[1])))),
  PRIORITY_OF_WRONG_SIZE_WITHOUT_STREAM(
      "6.3 and 6.4: the error is that of a stream which is not there to be reset",
      After.GOES_ON,
      m ->
          m.isFrame(FrameType.PRIORITY)
              && m.ours().isSilent()
              && !m.isAlive()
              && m.nettyResets(FRAME_SIZE_ERROR),
      Script.toServer(Frames.frame(Frames.PRIORITY, 0, 1, new byte[3]))),
  WRONG_SIZE_ON_WRONG_STREAM(
      "6.5, 6.7, 6.8: the frame breaks two rules, and each names another one",
      After.ENDS,
      m ->
          (m.isFrame(FrameType.SETTINGS)
                  || m.isFrame(FrameType.PING)
                  || m.isFrame(FrameType.GOAWAY))
              && m.id() != 0
              && m.weEnd(FRAME_SIZE_ERROR)
              && m.nettyEnds(PROTOCOL_ERROR),
      Script.toServer(Frames.frame(Frames.PING, 0, 1))),
  PADDED_DATA_OF_NOTHING(
      "4.2 and 5.4.1: DATA too short for its pad length may end the connection, as padding beyond"
          + " its end must (6.1); Netty resets the stream",
      After.ENDS,
      m ->
          m.isFrame(FrameType.DATA)
              && m.frame().payload().length == 0
              && m.weEnd(FRAME_SIZE_ERROR)
              && m.nettyResets(FRAME_SIZE_ERROR),
      Script.toServer(Frames.request(1), Frames.data(1, Frames.PADDED))),
  GOAWAY_IS_RAISED(
      "6.8: the last stream must not grow, but what to do then is left open: the streams above the"
          + " first one were given up already",
      After.ENDS,
      m ->
          m.isFrame(FrameType.GOAWAY)
              && m.past().peerLeaves()
              && m.ours().error() == null
              && m.nettyEnds(PROTOCOL_ERROR),
      Script.toClient(
          new Does(Act.OPEN, 0),
          Frames.goAway(1, Http2Error.NO_ERROR),
          Frames.goAway(3, Http2Error.NO_ERROR))),
  MALFORMED_HEADERS_OF_WRONG_STREAM(
      "5.1.1: a client's streams are odd; Netty looks at the fields first, and resets the stream",
      After.ENDS,
      m ->
          m.server()
              && m.isHeaders()
              && m.id() % 2 == 0
              && m.weEnd(PROTOCOL_ERROR)
              && m.nettyResets(PROTOCOL_ERROR),
      Script.toServer(Frames.headers(2, Frames.END_HEADERS, "X", "1"))),
  CONTENT_OF_CONTENTLESS_RESPONSE(
      "8.1.1 and RFC 9110 6.4.1: a response of status 204 or 304 has no content, whatever its"
          + " content-length says; Netty counts against that alone",
      After.ENDS,
      m ->
          !m.server()
              && m.isFrame(FrameType.DATA)
              && m.past().isContentless(m.id())
              && m.weReset(PROTOCOL_ERROR)
              && m.nettys().isQuiet(),
      Script.toClient(
          new Does(Act.OPEN, 0),
          Frames.headers(1, Frames.END_HEADERS, ":status", "204"),
          Frames.data(1, 0, new byte[1]))),
  LEAVES_WITH_LAST_STREAM(
      "6.8: after GOAWAY the connection has no use once its last stream has ended; Netty leaves that"
          + " to the layer above",
      After.ENDS,
      m ->
          (m.past().peerLeaves() || m.isFrame(FrameType.GOAWAY))
              && m.ours().left()
              && m.ours().error() == null
              && m.ours().heard().equals(m.nettys().heard())
              && m.ours().resets().equals(m.nettys().resets())
              && m.nettys().active() == 0,
      Script.toServer(Frames.goAway(0, Http2Error.NO_ERROR))),
  REFUSES_AFTER_GOAWAY(
      "6.8: a peer that leaves gets no new streams; RST_STREAM lets it ask again elsewhere",
      After.ENDS,
      m ->
          m.server()
              && m.past().peerLeaves()
              && m.isHeaders()
              && m.weReset(REFUSED_STREAM)
              && (m.nettyHandsOn() || m.nettyResets(PROTOCOL_ERROR)),
      Script.toServer(Frames.request(1), Frames.goAway(0, Http2Error.NO_ERROR), Frames.request(3))),
  MALFORMED_BEYOND_LIMIT(
      "5.1.2: HEADERS beyond the limit of streams, and malformed: Netty looks at the fields first",
      After.GOES_ON,
      m ->
          m.server()
              && m.isHeaders()
              && m.fate() == Fate.IDLE
              && m.ours().active() == Endpoint.MAX_STREAMS
              && m.weReset(REFUSED_STREAM)
              && m.nettyResets(PROTOCOL_ERROR),
      Script.toServer(
          Frames.request(1),
          Frames.request(3),
          Frames.request(5),
          Frames.headers(7, Frames.END_HEADERS, "X", "1"))),
  HEADERS_OF_PASSED_STREAM(
      "5.1.1: a lower stream than the last is an error of the connection; Netty resets it",
      After.ENDS,
      m ->
          m.isHeaders()
              && m.fate() == Fate.SKIPPED
              && m.weEnd(PROTOCOL_ERROR)
              && (m.nettyResets(STREAM_CLOSED) || m.nettyResets(PROTOCOL_ERROR)),
      Script.toServer(Frames.request(3), Frames.request(1))),
  HEADERS_OF_CLOSED_STREAM(
      "5.1 \"closed\": after END_STREAM an error of the connection; Netty resets the stream",
      After.ENDS,
      m ->
          m.isHeaders()
              && (m.fate() == Fate.ENDED || m.fate() == Fate.RESET_BY_PEER)
              && m.weEnd(STREAM_CLOSED)
              && (m.nettyResets(STREAM_CLOSED) || m.nettyResets(PROTOCOL_ERROR)),
      Script.toServer(Frames.request(1), Frames.reset(1, PROTOCOL_ERROR), Frames.request(1))),
  IGNORED_AFTER_OUR_RESET(
      "5.1 \"closed\": what comes after RST_STREAM may have been under way; Netty resets it again",
      After.GOES_ON,
      m ->
          (m.isHeaders() || m.isFrame(FrameType.DATA))
              && (m.fate() == Fate.RESET_BY_US || m.fate() == Fate.REFUSED)
              && m.ours().isSilent()
              && (m.nettyResets(STREAM_CLOSED) || m.nettyResets(PROTOCOL_ERROR)),
      Script.toServer(Frames.request(1), new Does(Act.RESET, 1), Frames.data(1, 0))),
  REFUSED_STREAM_IS_USED(
      "5.1 \"idle\": HEADERS open a stream though they are malformed or refused; to Netty it, and"
          + " those below it, stay idle",
      After.ENDS,
      m ->
          m.server()
              && m.past().wasRefusedFrom(m.id())
              && (m.fate() == Fate.REFUSED || m.fate() == Fate.SKIPPED)
              && (m.nettyEnds(PROTOCOL_ERROR) || m.nettyHandsOn() || m.nettyResets(REFUSED_STREAM))
              && (m.ours().isSilent()
                  || m.weReset(STREAM_CLOSED)
                  || (m.isHeaders() && m.weEnd(PROTOCOL_ERROR))),
      Script.toServer(
          Frames.headers(1, Frames.END_HEADERS, "X", "1"), Frames.reset(1, PROTOCOL_ERROR))),
  RESET_IS_NOT_ANSWERED(
      "5.4.2: no RST_STREAM in answer to one; Netty sends it while DATA waits for the window",
      After.ENDS,
      m ->
          m.isFrame(FrameType.RST_STREAM)
              && m.ours().isQuiet()
              && m.ours().heard().equals(m.nettys().heard())
              && m.nettys().error() == null
              && m.nettys().resets().keySet().equals(Set.of(m.id())),
      Script.toServer(
          Frames.settings(Frames.INITIAL_WINDOW_SIZE, 1),
          Frames.request(1),
          new Does(Act.HEAD, 1),
          new Does(Act.SOME_DATA, 1),
          Frames.reset(1, PROTOCOL_ERROR))),
  GIVEN_UP_IS_NOT_RESET(
      "6.8: streams above the last one were never begun, to the peer; Netty resets those of which"
          + " DATA waits for the window",
      After.ENDS,
      m ->
          !m.server()
              && m.isFrame(FrameType.GOAWAY)
              && m.ours().error() == null
              && m.ours().resets().isEmpty()
              && m.ours().heard().equals(m.nettys().heard())
              && m.nettys().error() == null
              && !m.nettys().resets().isEmpty()
              && m.nettys().resets().firstKey() > (m.frame().number(0) & Integer.MAX_VALUE),
      Script.toClient(
          Frames.settings(Frames.INITIAL_WINDOW_SIZE, 1),
          new Does(Act.OPEN, 0),
          new Does(Act.SOME_DATA, 1),
          Frames.goAway(0, Http2Error.NO_ERROR))),
  HEADERS_AFTER_END(
      "5.1 \"half-closed (remote)\": STREAM_CLOSED; Netty names PROTOCOL_ERROR for a list that would"
          + " be wrong anyway",
      After.GOES_ON,
      m ->
          m.isHeaders()
              && m.fate() == Fate.RECEIVE_ENDED
              && m.weReset(STREAM_CLOSED)
              && m.nettyResets(PROTOCOL_ERROR),
      Script.toServer(Frames.wholeRequest(1), Frames.headers(1, Frames.END_HEADERS, "x", "1"))),
  DATA_BEFORE_HEAD(
      "8.1: a response begins with its head; Netty hands its content on without",
      After.ENDS,
      m ->
          !m.server()
              && m.isFrame(FrameType.DATA)
              && m.fate() == Fate.OPEN
              && !m.past().hasHead(m.id())
              && m.weReset(PROTOCOL_ERROR)
              && m.nettys().isQuiet(),
      Script.toClient(new Does(Act.OPEN, 0), Frames.data(1, 0, new byte[1]))),
  PUSHED_STREAM(
      "8.4: without PUSH_PROMISE, which is forbidden, a server has no streams; Netty lets it open"
          + " them by HEADERS",
      After.ENDS,
      m ->
          !m.server()
              && m.isHeaders()
              && m.fate() == Fate.IDLE
              && m.weEnd(PROTOCOL_ERROR)
              && (m.nettyHandsOn()
                  || m.nettyResets(PROTOCOL_ERROR)
                  || m.nettyResets(STREAM_CLOSED)),
      Script.toClient(Frames.headers(2, Frames.END_HEADERS, ":status", "200"))),
  INTERIM_RESPONSE_ENDS_STREAM(
      "8.1: an interim response does not end a stream",
      After.ENDS,
      m ->
          !m.server()
              && m.weReset(PROTOCOL_ERROR)
              && m.nettyHandsOn()
              && m.nettySeesEnd()
              && m.values(":status").stream().anyMatch(status -> status.startsWith("1")),
      Script.toClient(
          new Does(Act.OPEN, 0),
          Frames.headers(1, Frames.END_HEADERS | Frames.END_STREAM, ":status", "100"))),
  CONTENT_IS_MISSING(
      "8.1.1: a response without the content that it promised is malformed; Netty takes it for one to"
          + " HEAD",
      After.ENDS,
      m ->
          !m.server()
              && m.weReset(PROTOCOL_ERROR)
              && m.nettys().isQuiet()
              && m.nettySeesEnd()
              && m.fate() == Fate.OPEN
              && !m.past().isContentless(m.id())
              && m.past().promised(m),
      Script.toClient(
          new Does(Act.OPEN, 0),
          Frames.headers(
              1, Frames.END_HEADERS | Frames.END_STREAM, ":status", "200", "content-length", "5")));

  private final Rule rule;

  StateDifference(String reason, After after, Predicate<Moment> fits, Script example) {
    rule = new Rule(reason, after, fits, example);
  }

  @Override
  public Rule rule() {
    return rule;
  }

  private static boolean hasSettingTwice(byte[] payload) {
    Set<Short> ids = new HashSet<>();
    ByteBuffer settings = ByteBuffer.wrap(payload);
    for (int at = 0; at + 6 <= payload.length; at += 6) {
      ids.add(settings.getShort(at));
    }
    return ids.size() < payload.length / 6;
  }

  private static boolean hasWideConnectProtocol(byte[] payload) {
    for (int at = 0; at + 6 <= payload.length; at += 6) {
      boolean isIt = payload[at] == 0 && payload[at + 1] == 8;
      boolean isOne = payload[at + 2] == 0 && payload[at + 3] == 0 && payload[at + 4] == 0;
      if (isIt && !(isOne && (payload[at + 5] & 0xfe) == 0)) {
        return true;
      }
    }
    return false;
  }
}
