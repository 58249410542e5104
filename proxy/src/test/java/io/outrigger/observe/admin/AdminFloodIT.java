package io.outrigger.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Readers who ask for more than they read, and what that costs the others. */
@Timeout(600)
@ParameterizedClass
@EnumSource
final class AdminFloodIT {
  private static final int BIG = 4 << 20;
  private static final long MAX_UNREAD = 20 << 20;

  private final AdminBudget budget = new AdminBudget(MAX_UNREAD);

  /** Those who asked for /slow, which is answered when the test says so. */
  private final BlockingQueue<CompletableFuture<AdminReply>> slow = new LinkedBlockingQueue<>();

  private final AtomicInteger bigAnswers = new AtomicInteger();
  private final List<Socket> sockets = new ArrayList<>();
  private final AdminServer server;

  /** Which of the two servers is asked. */
  enum Kind {
    ADMIN,
    HEALTH
  }

  AdminFloodIT(Kind kind) throws IOException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    Map<String, AdminEndpoint> endpoints =
        Map.of(
            "GET /slow", request -> slow(),
            "GET /quick", request -> done(AdminReply.text(200, "quick")),
            "GET /live", request -> done(AdminReply.text(200, "live")),
            "GET /big", request -> big());
    var replyQueue = new ReplyQueue();
    server =
        kind == Kind.ADMIN
            ? AdminServer.start(
                AdminServer.Audience.OPERATORS, address, endpoints, replyQueue, budget)
            : AdminServer.start(
                AdminServer.Audience.PROBES, address, endpoints, replyQueue, budget);
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    server.close();
  }

  private CompletionStage<AdminReply> slow() {
    var answer = new CompletableFuture<AdminReply>();
    slow.add(answer);
    return answer;
  }

  private CompletionStage<AdminReply> big() {
    bigAnswers.incrementAndGet();
    return done(new AdminReply(200, "text/plain", new byte[BIG]));
  }

  private static CompletionStage<AdminReply> done(AdminReply reply) {
    return CompletableFuture.completedFuture(reply);
  }

  private CompletableFuture<AdminReply> nextSlow() throws InterruptedException {
    CompletableFuture<AdminReply> asked = slow.poll(60, TimeUnit.SECONDS);
    assertNotNull(asked, "nobody asked for /slow");
    return asked;
  }

  private Socket connect() throws IOException {
    var socket = new Socket();
    sockets.add(socket);
    socket.setReceiveBufferSize(64 << 10);
    socket.setSoTimeout(60_000);
    socket.connect(server.address());
    return socket;
  }

  private static void ask(Socket socket, String path, String... headers) throws IOException {
    String request =
        "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + String.join("", headers) + "\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
  }

  private Socket asking(String path) throws IOException {
    Socket socket = connect();
    ask(socket, path, "Connection: close\r\n");
    return socket;
  }

  private static String rest(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  /** Bytes up to the end of the connection, however it comes about. */
  private static long bytesLeft(Socket socket) throws IOException {
    long bytes = 0;
    byte[] part = new byte[64 << 10];
    InputStream in = socket.getInputStream();
    try {
      for (int n = in.read(part); n >= 0; n = in.read(part)) {
        bytes += n;
      }
    } catch (SocketException reset) {
      return bytes;
    }
    return bytes;
  }

  @Test
  void answersComeInTheOrderOfTheRequests() throws Exception {
    Socket socket = connect();
    ask(socket, "/slow");
    ask(socket, "/live");
    ask(socket, "/quick", "Connection: close\r\n");

    nextSlow().complete(AdminReply.text(200, "slow"));

    assertThat(rest(socket)).containsSubsequence("slow\n", "live\n", "quick\n");
  }

  @Test
  void oneLargeAnswerIsMadeAtATimeAndProbesDoNotWait() throws Exception {
    Socket first = asking("/slow");
    CompletableFuture<AdminReply> answer = nextSlow();
    Socket second = asking("/slow");

    assertThat(rest(asking("/live"))).endsWith("live\n");
    assertThat(rest(asking("/live"))).endsWith("live\n");
    assertThat(slow).as("asked while another is being made").isEmpty();

    answer.complete(AdminReply.text(200, "one"));
    assertThat(rest(first)).endsWith("one\n");
    nextSlow().complete(AdminReply.text(200, "two"));
    assertThat(rest(second)).endsWith("two\n");
  }

  @Test
  void noAnswerIsMadeForAConnectionThatHasClosed() throws Exception {
    Socket first = asking("/slow");
    CompletableFuture<AdminReply> answer = nextSlow();
    for (int i = 0; i < 10; i++) {
      asking("/slow").close();
    }
    rest(asking("/live"));
    rest(asking("/live")); // the server has seen them come and go
    Socket last = asking("/slow");
    rest(asking("/live"));

    answer.complete(AdminReply.text(200, "one"));
    nextSlow().complete(AdminReply.text(200, "last"));

    assertThat(rest(first)).endsWith("one\n");
    assertThat(rest(last)).endsWith("last\n");
    assertThat(slow).isEmpty();
  }

  @Test
  void whoDoesNotReadIsNotAnsweredFurther() throws Exception {
    Socket socket = connect();
    for (int i = 0; i < 1000; i++) {
      ask(socket, "/big");
    }

    for (int i = 0; i < 100; i++) {
      assertThat(rest(asking("/quick"))).endsWith("quick\n");
    }

    assertThat(bigAnswers).hasValueLessThan(10);
    assertThat(budget.heldBytes()).isLessThan(2 * BIG);
  }

  @Test
  void thoseWhoDoNotReadAreEndedForOneWhoDoes() throws Exception {
    List<Socket> stalled = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      Socket socket = connect();
      ask(socket, "/big");
      stalled.add(socket);
    }

    for (int i = 0; i < 10; i++) {
      assertThat(bytesLeft(asking("/big"))).isGreaterThan(BIG);
      assertThat(budget.heldBytes()).isLessThanOrEqualTo(MAX_UNREAD);
    }

    assertThat(bytesLeft(stalled.get(0))).as("what the first of them can get").isLessThan(BIG);
  }

  @Test
  void requestsBehindTheLastOneAreNone() throws Exception {
    Socket socket = connect();
    ask(socket, "/quick", "Connection: close\r\n");
    ask(socket, "/slow");

    assertThat(rest(socket)).endsWith("quick\n");
    assertThat(slow).isEmpty();
  }

  @Test
  void connectionsThatDoNothingKeepNobodyOut() throws Exception {
    List<Socket> idle = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      Socket socket = connect();
      socket
          .getOutputStream()
          .write("GET /live HTTP/1.1\r\nHost: loc".getBytes(StandardCharsets.US_ASCII));
      idle.add(socket);
    }

    assertThat(rest(asking("/live"))).endsWith("live\n");

    for (Socket socket : idle.subList(0, 200)) {
      assertThat(bytesLeft(socket)).as("the oldest are closed").isZero();
    }
    Socket young = idle.get(idle.size() - 1);
    young.getOutputStream().write("alhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    assertThat(young.getInputStream().read()).as("the youngest is served").isEqualTo('H');
  }

  @Test
  void aClientThatPipelinesWithoutReadingIsNotReadFurther() throws Exception {
    Socket socket = connect();
    for (int i = 0; i < 500; i++) {
      ask(socket, "/slow");
    }
    CompletableFuture<AdminReply> first = nextSlow();
    rest(asking("/live"));

    first.complete(AdminReply.text(200, "one"));
    nextSlow();

    assertThat(slow).as("one request at a time").isEmpty();
  }
}
