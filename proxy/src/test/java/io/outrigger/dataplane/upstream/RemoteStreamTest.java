package io.outrigger.dataplane.upstream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.outrigger.dataplane.forward.CallTransport;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.KnownName;
import io.outrigger.http2.PendingData;
import io.outrigger.http2.StreamHandler;
import io.outrigger.testing.Conformance;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two event loops as two queues of tasks; what is written down is in the order in which it ran. */
class RemoteStreamTest {
  private static final HeaderList HEAD = HeaderList.builder(1).add(KnownName.PATH, "/a").build();

  private final Queue<Runnable> loopOfCall = new ArrayDeque<>();
  private final Queue<Runnable> loopOfConnection = new ArrayDeque<>();
  private final List<String> call = new ArrayList<>();
  private final List<String> backend = new ArrayList<>();
  private final List<CallTransport.Waiter> waiting = new ArrayList<>();
  private final Call waiter = new Call();
  private final Stream stream = new Stream();
  private final RemoteStream remote =
      new RemoteStream(
          new Borrower(), waiter, loopOfCall::add, new Lender(), loopOfConnection::add);

  private void open() {
    remote.request();
    run(loopOfConnection);
    CallTransport.Waiter owner = waiting.remove(0);
    stream.handler(owner);
    owner.onOpened(stream);
    run(loopOfCall);
  }

  private static void run(Queue<Runnable> loop) {
    while (!loop.isEmpty()) {
      loop.remove().run();
    }
  }

  private void runBoth() {
    run(loopOfConnection);
    run(loopOfCall);
  }

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, US_ASCII);
  }

  /** As the call does that settles: nothing is kept after that. */
  @AfterEach
  void theCallLetsGo() {
    remote.reset(Http2Error.CANCEL);
    runBoth();
  }

  @Test
  void whatBothSidesSayArrivesInOrder() {
    open();
    waiter.stream().sendHeaders(HEAD, false);
    waiter.stream().sendData(bytes("one"), false);
    waiter.stream().sendData(bytes("two"), true);
    assertThat(backend).isEmpty();
    runBoth();
    stream.handler.onHeaders(HEAD, false);
    stream.handler.onData(bytes("three"), true);
    run(loopOfCall);

    assertThat(backend).containsExactly("H(:path=/a)", "D(one)", "D(two)!");
    assertThat(call).containsExactly("lent", "opened", "H(:path=/a)", "D(three)!");
  }

  @Test
  void buffersAreCopiedOnTheWayAndTheirIndicesLeftAlone() {
    open();
    ByteBuf request = bytes("(request)").setIndex(1, 8).retain();
    ByteBuf response = bytes("(response)").setIndex(1, 9).retain();

    waiter.stream().sendData(request, false);
    stream.handler.onData(response, false);

    assertThat(List.of(request.readerIndex(), request.writerIndex())).containsExactly(1, 8);
    assertThat(List.of(response.readerIndex(), response.writerIndex())).containsExactly(1, 9);
    assertThat(List.of(request.refCnt(), response.refCnt())).containsExactly(1, 1);
    request.release();
    response.release();
    runBoth();
    assertThat(backend).containsExactly("D(request)");
    assertThat(call).endsWith("D(response)");
  }

  @Test
  void creditIsReturnedOnlyWhenTheOtherSideHasConsumed() {
    open();
    stream.handler.onData(bytes("12345"), false);
    run(loopOfCall);
    runBoth();
    assertThat(stream.credit).isZero();

    waiter.stream().consumed(3);
    run(loopOfConnection);
    assertThat(stream.credit).isEqualTo(3);
    assertThatThrownBy(() -> remote.consumed(3)).isInstanceOf(IllegalStateException.class);

    waiter.stream().sendData(bytes("1234"), false);
    run(loopOfConnection);
    assertThat(remote.pendingBytes()).isEqualTo(4);
    stream.handler.onDataSent(4);
    assertThat(remote.pendingBytes()).isEqualTo(4);
    run(loopOfCall);
    assertThat(remote.pendingBytes()).isZero();
    assertThat(call).endsWith("sent 4");
  }

  @Test
  void whatComesAfterAResetOfTheCallIsLetGo() {
    open();
    ByteBuf late = bytes("late").retain();
    stream.handler.onHeaders(HEAD, false);
    stream.handler.onData(late, false);
    stream.handler.onReset(Http2Error.CANCEL);

    remote.reset(Http2Error.CANCEL);
    remote.reset(Http2Error.CANCEL);
    waiter.stream().sendHeaders(HEAD, true);
    ByteBuf unsent = bytes("unsent");
    waiter.stream().sendData(unsent, true);
    runBoth();

    assertThat(call).containsExactly("lent", "opened");
    assertThat(backend).containsExactly("RST(CANCEL)");
    assertThat(List.of(late.refCnt(), unsent.refCnt())).containsExactly(1, 0);
    late.release();
  }

  @Test
  void theEndIsToldOnceInTheWordsOfTheConnection() {
    open();
    stream.handler.onConnectionLost(StreamHandler.Refusal.OF_CONNECTION, "GOAWAY NO_ERROR");
    stream.handler.onConnectionLost(StreamHandler.Refusal.OF_CALL, "closed");
    run(loopOfCall);

    assertThat(call).containsExactly("lent", "opened", "passed over: GOAWAY NO_ERROR");
    assertThat(remote.isOpenForSending()).isFalse();
  }

  /** Of 15 bytes three have left, six are with the connection, and six on the way to it. */
  @Conformance("SC-34")
  @Test
  void whatHasNotLeftIsTheCallsAgainWhereverItIs() {
    open();
    ByteBuf large = bytes("x".repeat(2_000)).retain();
    waiter.stream().sendData(bytes("one"), false);
    waiter.stream().sendData(bytes("two"), false);
    waiter.stream().sendData(bytes("six"), false);
    runBoth();
    stream.handler.onDataSent(3);
    run(loopOfCall);
    waiter.stream().sendData(bytes("nine"), false);
    waiter.stream().sendData(large, true);
    stream.handler.onConnectionLost(StreamHandler.Refusal.OF_CONNECTION, "GOAWAY NO_ERROR");

    waiter.takesBack = true;
    run(loopOfCall);

    assertThat(call)
        .endsWith("passed over: GOAWAY NO_ERROR", "back twosixnine" + "x".repeat(2_000));
    assertThat(remote.pendingBytes()).isZero();
    runBoth();
    assertThat(large.refCnt()).isEqualTo(1);
    large.release();
  }

  /** As the call does when a backend answers with a failure that is retried. */
  @Test
  void aRequestThatIsTakenBackHasNotEnded() {
    open();
    waiter.stream().sendData(bytes("one"), true);
    assertThat(remote.hasSentEnd()).isFalse();

    remote.takeUnsent().release();

    assertThat(remote.hasSentEnd()).isFalse();
  }

  @Test
  void whatIsNotTakenBackIsReleased() {
    open();
    ByteBuf large = bytes("x".repeat(20_000)).retain();
    waiter.stream().sendData(large, true);
    assertThat(large.refCnt()).isEqualTo(2);
    stream.handler.onConnectionLost(StreamHandler.Refusal.NONE, "closed");
    runBoth();
    assertThat(large.refCnt()).isEqualTo(1);
    large.release();
  }

  @Test
  void whatIsKeptForTheCallIsCountedUntilItHasLeft() {
    open();
    waiter.stream().sendData(bytes("one"), false);
    waiter.stream().sendData(bytes("x".repeat(2_000)), false);
    runBoth();

    stream.handler.onDataSent(2_003);
    run(loopOfCall);
    run(loopOfConnection);
  }

  @Test
  void aCallThatLeavesWhileItWaitsIsForgotten() {
    remote.request();
    run(loopOfConnection);

    remote.cancel();
    runBoth();

    assertThat(waiting).isEmpty();
    assertThat(call).isEmpty();
  }

  @Test
  void aStreamThatOpensAsTheCallLeavesIsReset() {
    remote.request();
    run(loopOfConnection);
    waiting.remove(0).onOpened(stream);

    remote.cancel(); // the news of the stream is on its way
    runBoth();

    assertThat(call).isEmpty();
    assertThat(backend).containsExactly("RST(CANCEL)");
  }

  @Test
  void aLoopWithoutConnectionSendsTheCallBack() {
    remote.request();
    run(loopOfConnection);

    waiting.remove(0).onNotOpened();
    runBoth();

    assertThat(call).containsExactly("not lent");
  }

  private final class Borrower implements RemoteStream.Borrower {
    @Override
    public void onLent(CallTransport.Waiter to) {
      call.add("lent");
    }

    @Override
    public void onNotLent(CallTransport.Waiter to) {
      call.add("not lent");
    }
  }

  private final class Lender implements RemoteStream.Lender {
    @Override
    public void lend(RemoteStream.Owner to) {
      waiting.add(to);
    }

    @Override
    public void forget(CallTransport.Waiter whom) {
      waiting.remove(whom);
    }
  }

  /** The call. */
  private final class Call implements CallTransport.Waiter {
    private final List<Http2Stream> opened = new ArrayList<>();
    private boolean takesBack;

    Http2Stream stream() {
      return opened.get(0);
    }

    @Override
    public void onOpened(Http2Stream given) {
      opened.add(given);
      call.add("opened");
    }

    @Override
    public void onNotOpened() {
      throw new AssertionError("its loop decides that");
    }

    @Override
    public void onHeaders(HeaderList headers, boolean endStream) {
      call.add("H(" + headers + ")" + (endStream ? "!" : ""));
    }

    @Override
    public void onData(ByteBuf data, boolean endStream) {
      call.add("D(" + data.toString(US_ASCII) + ")" + (endStream ? "!" : ""));
      data.release();
    }

    @Override
    public void onDataSent(int bytes) {
      call.add("sent " + bytes);
    }

    @Override
    public void onReset(Http2Error error) {
      call.add("RST(" + error + ")");
    }

    @Override
    public void onConnectionLost(Refusal refusal, String reason) {
      call.add((refusal == Refusal.OF_CONNECTION ? "passed over: " : "lost: ") + reason);
      if (takesBack) {
        PendingData unsent = stream().takeUnsent();
        var text = new StringBuilder("back ");
        while (!unsent.isEmpty()) {
          ByteBuf part = unsent.take(Integer.MAX_VALUE);
          text.append(part.toString(US_ASCII));
          part.release();
        }
        call.add(text.toString());
      }
    }
  }

  /** The stream on the connection. */
  private final class Stream implements Http2Stream {
    private StreamHandler handler = waiter;
    private int credit;
    private int pending;

    void handler(StreamHandler value) {
      handler = value;
    }

    @Override
    public void sendHeaders(HeaderList headers, boolean endStream) {
      backend.add("H(" + headers + ")" + (endStream ? "!" : ""));
    }

    @Override
    public void sendData(ByteBuf data, boolean endStream) {
      backend.add("D(" + data.toString(US_ASCII) + ")" + (endStream ? "!" : ""));
      data.release();
    }

    @Override
    public void dropPending() {
      backend.add("DROP");
      pending = 0;
    }

    @Override
    public void reset(Http2Error error) {
      backend.add("RST(" + error + ")");
    }

    @Override
    public void consumed(int bytes) {
      credit += bytes;
    }

    @Override
    public boolean hasSentEnd() {
      return false;
    }

    @Override
    public PendingData takeUnsent() {
      return new PendingData();
    }

    @Override
    public int pendingBytes() {
      return pending;
    }
  }
}
