package io.outrigger.http2;

import static io.outrigger.http2.Http2Error.FLOW_CONTROL_ERROR;
import static io.outrigger.http2.Http2Error.PROTOCOL_ERROR;
import static io.outrigger.http2.Http2Error.STREAM_CLOSED;

import io.outrigger.http2.Past.Fate;
import io.outrigger.http2.testing.Frames;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Differences in the size of windows, and in errors for DATA beyond them. */
@SuppressWarnings("ImmutableEnumChecker") // scripts are not modified
enum WindowDifference implements Difference {
  WINDOWS_OVERFLOW_BY_SETTINGS(
      "6.9.2: a window that SETTINGS widen beyond 2^31-1 is a connection error; Netty resets the"
          + " stream",
      After.ENDS,
      m ->
          m.isFrame(FrameType.SETTINGS)
              && m.weEnd(FLOW_CONTROL_ERROR)
              && m.nettys().resets().containsValue(FLOW_CONTROL_ERROR),
      Script.toServer(
          Frames.request(1),
          Frames.windowUpdate(1, Integer.MAX_VALUE - 65_535),
          Frames.settings(Frames.INITIAL_WINDOW_SIZE, 65_536))),
  EMPTY_UPDATE_OF_IDLE_STREAM(
      "5.1 \"idle\": a connection error, whatever the increment; no RST_STREAM may name the stream",
      After.ENDS,
      m ->
          m.isEmptyUpdate()
              && m.fate() == Fate.IDLE
              && m.weEnd(PROTOCOL_ERROR)
              && m.nettyResets(PROTOCOL_ERROR),
      Script.toServer(Frames.windowUpdate(1, 0))),
  EMPTY_UPDATE_OF_CLOSED_STREAM(
      "5.1 \"closed\": WINDOW_UPDATE may still come, and nothing is left to be reset",
      After.GOES_ON,
      m ->
          m.isEmptyUpdate()
              && m.past().isClosed(m.id())
              && m.ours().isSilent()
              && m.nettyResets(PROTOCOL_ERROR),
      Script.toServer(
          Frames.request(1), Frames.reset(1, PROTOCOL_ERROR), Frames.windowUpdate(1, 0))),
  WINDOW_MADE_SMALLER(
      "6.9.3: who has acknowledged a smaller window keeps to it; Netty takes as much beyond it as the"
          + " window was made smaller by",
      After.ENDS,
      m ->
          m.isFrame(FrameType.DATA)
              && m.weReset(FLOW_CONTROL_ERROR)
              && m.nettys().isQuiet()
              && m.sentOnStream() > Endpoint.STREAM_WINDOW,
      new Script(
          true,
          Stream.of(
                  Frames.settings(),
                  Frames.request(1),
                  Frames.data(1, 0, new byte[16_000]),
                  Frames.data(1, 0, new byte[14_000]),
                  Frames.settingsAck(),
                  Frames.data(1, 0, new byte[1]))
              .<Script.Step>map(Script.Sends::of)
              .toList())),
  DATA_BEYOND_WINDOW(
      "6.9.1: an error of the stream; Netty gives the frame back to the windows twice,"
          + " and fails where that is more than was taken",
      After.ENDS,
      m ->
          m.isFrame(FrameType.DATA)
              && m.fate() == Fate.OPEN
              && m.weReset(FLOW_CONTROL_ERROR)
              && (m.nettyEnds(Http2Error.INTERNAL_ERROR)
                  || m.nettyResets(Http2Error.INTERNAL_ERROR))
              && m.sentOnStream() > Endpoint.STREAM_WINDOW,
      Script.toServer(
          Frames.request(1),
          Frames.data(1, 0, new byte[15_000]),
          Frames.data(1, 0, new byte[16_000]))),
  CREDIT_COMES_EARLIER(
      "6.9.1: when WINDOW_UPDATE is sent is each side's own affair: DATA beyond the connection's"
          + " window as Netty has it may be within ours",
      After.ENDS,
      m ->
          m.isFrame(FrameType.DATA)
              && m.ours().error() == null
              && (m.nettyEnds(FLOW_CONTROL_ERROR) || m.nettyResets(Http2Error.INTERNAL_ERROR))
              && m.sent() > ConnectionSettings.INITIAL_WINDOW
              && m.sent() <= m.credit(),
      Script.toServer(
          Frames.request(1),
          Frames.data(1, 0, new byte[15_000]),
          Frames.reset(1, Http2Error.CANCEL),
          Frames.request(3),
          Frames.data(3, 0, new byte[16_000]),
          Frames.data(3, 0, new byte[13_000]),
          Frames.request(5),
          Frames.data(5, Frames.PADDED, new byte[16_000]),
          Frames.data(5, 0, new byte[6_000]))),
  DATA_OF_IDLE_STREAM_BEYOND_WINDOW(
      "5.1 \"idle\" and 6.9.1: the frame breaks two rules, and each names the error of another one",
      After.ENDS,
      m ->
          m.isFrame(FrameType.DATA)
              && m.fate() == Fate.IDLE
              && m.weEnd(PROTOCOL_ERROR)
              && m.nettyEnds(FLOW_CONTROL_ERROR)
              && m.sent() > ConnectionSettings.INITIAL_WINDOW,
      Script.toServer(
          Frames.request(1),
          Frames.data(1, 0, new byte[16_000]),
          Frames.data(1, 0, new byte[14_000]),
          Frames.request(3),
          Frames.data(3, 0, new byte[16_000]),
          Frames.data(3, 0, new byte[14_000]),
          Frames.data(5, 0, new byte[16_000]))),
  DATA_AFTER_END_BEYOND_WINDOW(
      "5.1 \"half-closed (remote)\": STREAM_CLOSED; Netty looks at the window first, and"
          + " fails over the padding",
      After.GOES_ON,
      m ->
          m.isFrame(FrameType.DATA)
              && m.fate() == Fate.RECEIVE_ENDED
              && m.weReset(STREAM_CLOSED)
              && (m.nettyResets(FLOW_CONTROL_ERROR) || m.nettyEnds(Http2Error.INTERNAL_ERROR)),
      Script.toServer(
          Frames.request(1),
          Frames.data(1, 0, new byte[16_000]),
          Frames.data(1, Frames.END_STREAM, new byte[14_000]),
          Frames.data(1, 0, new byte[1])));

  private final Rule rule;

  WindowDifference(String reason, After after, Predicate<Moment> fits, Script example) {
    rule = new Rule(reason, after, fits, example);
  }

  @Override
  public Rule rule() {
    return rule;
  }
}
