package io.outrigger.xds.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.ControlThread;
import io.outrigger.base.Outcome;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.Seeds;
import io.outrigger.xds.deps.DnsLookup.Answer;
import io.outrigger.xds.testing.ScriptedNameServer;
import io.outrigger.xds.testing.ScriptedNameServer.Query;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against three name servers at one port of 127.0.0.1, .2 and .3, whose answers are scripts. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class NettyDnsLookupTest {
  private static final int ATTEMPTS = 20;
  private static final String SERVERS =
      "nameserver 127.0.0.1\nnameserver 127.0.0.2\nnameserver 127.0.0.3\n";

  /** Longer than any pause of the machine: an answer that came must win over the timer. */
  private static final String PATIENT = "\noptions timeout:30";

  /** More than fit in 512 bytes. */
  private static final String[] MANY =
      IntStream.range(0, 500)
          .mapToObj(i -> "10.0.%d.%d".formatted(i >> 8, i & 255))
          .toArray(String[]::new);

  private final ControlThread control = new ControlThread("test-control");
  private final List<ScriptedNameServer> servers = new ArrayList<>();
  private final AtomicReference<String> resolvConf = new AtomicReference<>("");
  private NettyDnsLookup lookup;

  @BeforeEach
  void start() throws IOException {
    for (int i = 0; servers.size() < 3; i++) {
      try {
        int port = servers.isEmpty() ? 0 : servers.get(0).port();
        servers.add(new ScriptedNameServer("127.0.0." + (servers.size() + 1), port));
      } catch (IOException taken) {
        assertThat(i).as("attempts to find a free port").isLessThan(ATTEMPTS);
        closeServers();
      }
    }
    int port = servers.get(0).port();
    lookup =
        new NettyDnsLookup(control, () -> ResolvConf.parse(resolvConf.get(), Map.of(), "", port));
  }

  private void closeServers() throws IOException {
    for (ScriptedNameServer server : servers) {
      server.close();
    }
    servers.clear();
  }

  @AfterEach
  void stop() throws IOException {
    control.execute(lookup::close);
    control.close();
    closeServers();
  }

  private ScriptedNameServer server(int number) {
    return servers.get(number - 1);
  }

  private void udp(int number, Function<Query, byte[]> answer) {
    server(number).udp = query -> List.of(answer.apply(query));
  }

  private void tcp(int number, Function<Query, byte[]> answer) {
    server(number).tcp = query -> List.of(answer.apply(query));
  }

  private CompletableFuture<Outcome<Answer>> start(String host) {
    var answer = new CompletableFuture<Outcome<Answer>>();
    control.execute(
        () ->
            lookup.resolve(
                host,
                443,
                outcome -> {
                  control.checkInside();
                  answer.complete(outcome);
                }));
    return answer;
  }

  private Outcome<Answer> resolve(String host) throws Exception {
    return start(host).get(100, TimeUnit.SECONDS);
  }

  private List<String> addresses(String host) throws Exception {
    Outcome<Answer> answer = resolve(host);
    assertThat(answer.isOk()).as(answer.toString()).isTrue();
    List<EndpointAddress> addresses = answer.toOptional().orElseThrow().addresses();
    assertThat(addresses).allMatch(address -> address.port() == 443);
    return addresses.stream().map(EndpointAddress::ip).toList();
  }

  private Duration ttl(String host) throws Exception {
    return resolve(host).toOptional().orElseThrow().ttl();
  }

  private String failure(String host) throws Exception {
    return resolve(host).status().message();
  }

  @Conformance("KN-09")
  @Test
  void theShortestTtlOfAllRecordsIsTheAnswers() throws Exception {
    resolvConf.set("nameserver 127.0.0.1" + PATIENT);
    server(1).ttl = 20;
    udp(1, query -> query.ip6() ? query.answer("2001:db8::1") : query.aliases("10.0.0.1"));
    assertThat(ttl("pay.test")).isEqualTo(Duration.ofSeconds(20));

    server(1).ttl = 40;
    assertThat(ttl("pay.test")).as("that of an alias").isEqualTo(Duration.ofSeconds(30));
    assertThat(ttl("10.0.0.1")).as("a literal has none").isZero();
  }

  @Conformance("DI-08")
  @Test
  void addressesOfBothFamiliesCount() throws Exception {
    resolvConf.set("nameserver 127.0.0.1" + PATIENT);
    udp(1, query -> query.answer("2001:db8::1", "10.0.0.1", "10.0.0.2"));

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1", "10.0.0.2", "2001:db8::1");
    assertThat(server(1).asked())
        .containsExactlyInAnyOrder("udp A pay.test.", "udp AAAA pay.test.");
  }

  @Conformance("KN-10")
  @Test
  void theSecondServerAnswersForASilentFirst() throws Exception {
    resolvConf.set(SERVERS + "options timeout:6 attempts:2"); // the second may be held up
    udp(2, query -> query.answer("10.0.0.1"));
    long start = System.nanoTime();

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1");

    assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(5_900));
    assertThat(server(3).asked()).isEmpty();
  }

  /** The first packet of each family is lost. */
  @Conformance("KN-10")
  @Test
  void allServersAreAskedInEachRound() throws Exception {
    resolvConf.set(SERVERS + "options timeout:1 attempts:5");
    server(1).udp =
        query -> server(1).asked().size() > 2 ? List.of(query.answer("10.0.0.1")) : List.of();
    udp(2, query -> query.code(ScriptedNameServer.SERVFAIL));
    udp(3, query -> query.code(ScriptedNameServer.REFUSED));

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1");
  }

  @Conformance("KN-10")
  @Test
  void silentServersAreNamedWhenAllRoundsAreOver() throws Exception {
    resolvConf.set("nameserver 127.0.0.1\nnameserver 127.0.0.2\noptions timeout:1 attempts:2");

    assertThat(failure("pay.test"))
        .isEqualTo(
            "no answer from 127.0.0.1:%1$d, no answer from 127.0.0.2:%1$d; check the name servers of /etc/resolv.conf"
                .formatted(server(1).port()));
    for (int i = 1; i <= 2; i++) {
      ScriptedNameServer server = server(i);
      Await.until("all queries have come", () -> server.asked().size() >= 4);
      assertThat(server.asked()).hasSize(4);
    }
  }

  @Conformance("KN-10")
  @ParameterizedTest
  @ValueSource(
      ints = {
        ScriptedNameServer.FORMERR,
        ScriptedNameServer.SERVFAIL,
        ScriptedNameServer.NOTIMP,
        ScriptedNameServer.REFUSED
      })
  void aServerThatRefusesHasTheNextOneAsked(int code) throws Exception {
    resolvConf.set(SERVERS + PATIENT);
    udp(1, query -> query.code(code));
    udp(2, query -> query.codeAlone(code));
    udp(3, query -> query.answer("10.0.0.1"));

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1");
  }

  @Conformance("KN-10")
  @Test
  void aServerThatRefersToOthersHasTheNextOneAsked() throws Exception {
    resolvConf.set(SERVERS + PATIENT);
    udp(1, Query::referral);
    udp(2, query -> query.answer("10.0.0.1"));

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1");
  }

  @Conformance("KN-10")
  @Test
  void aServerWhosePortIsClosedCostsNoTime() throws Exception {
    resolvConf.set(SERVERS + PATIENT);
    server(1).close();
    udp(2, query -> query.answer("10.0.0.1"));
    long start = System.nanoTime();

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1");

    assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(30));
  }

  @Conformance("KN-10")
  @Test
  void failuresOfAllServersAreNamed() throws Exception {
    resolvConf.set(SERVERS + PATIENT);
    server(1).close();
    udp(2, query -> query.code(ScriptedNameServer.SERVFAIL));
    udp(3, Query::referral);

    assertThat(failure("pay.test"))
        .isEqualTo(
            ("127.0.0.1:%1$d cannot be reached, SERVFAIL from 127.0.0.2:%1$d,"
                    + " 127.0.0.3:%1$d resolves no names of others;"
                    + " check the name servers of /etc/resolv.conf")
                .formatted(server(2).port()));
  }

  @Conformance("KN-10")
  @ParameterizedTest
  @ValueSource(strings = {"", "\noptions edns0 trust-ad"})
  void aServerThatDoesNotKnowEdns0IsNotAskedWithIt(String options) throws Exception {
    resolvConf.set("nameserver 127.0.0.1" + PATIENT + options);
    udp(
        1,
        query ->
            query.hasOpt()
                ? query.codeAlone(ScriptedNameServer.FORMERR)
                : query.answer("10.0.0.1"));

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1");
  }

  @Conformance({"KN-10", "DI-08"})
  @Test
  void anAnswerThatIsCutIsAskedForByTcp() throws Exception {
    resolvConf.set("nameserver 127.0.0.1" + PATIENT);
    udp(1, query -> query.truncated("10.0.0.1"));
    tcp(1, query -> query.answer(MANY));

    assertThat(addresses("pay.test")).containsExactly(MANY);
  }

  /** Some servers send more than 512 bytes over UDP although the query did not allow it. */
  @Test
  void aLongDatagramIsReadWhole() throws Exception {
    resolvConf.set("nameserver 127.0.0.1" + PATIENT);
    udp(1, query -> query.answer(MANY));

    assertThat(addresses("pay.test")).containsExactly(MANY);
  }

  @Conformance("KN-10")
  @Test
  void anAnswerThatIsCutCountsForNothingWithoutTcp() throws Exception {
    resolvConf.set(SERVERS + PATIENT);
    udp(1, query -> query.truncated("10.0.0.1"));
    server(1).tcp = ScriptedNameServer.SILENT; // closes the connection
    udp(2, query -> query.answer("10.0.0.1", "10.0.0.2"));

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1", "10.0.0.2");
  }

  @Conformance("KN-10")
  @Test
  void useVcAsksByTcpAlone() throws Exception {
    resolvConf.set("nameserver 127.0.0.1\noptions use-vc" + PATIENT);
    tcp(1, query -> query.answer("10.0.0.1"));

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1");
    assertThat(server(1).asked()).allMatch(asked -> asked.startsWith("tcp"));
  }

  @Conformance("KN-10")
  @Test
  void answersWithAnotherIdOrQuestionAreNotTaken() throws Exception {
    resolvConf.set("nameserver 127.0.0.1" + PATIENT);
    server(1).udp =
        query -> {
          byte[] otherName = query.answer("10.6.6.6");
          otherName[13] = 'x';
          return List.of(
              query.answerWithId(query.id() ^ 1, "10.6.6.6"), otherName, query.answer("10.0.0.1"));
        };

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1");
  }

  @Conformance("KN-10")
  @Test
  void aliasesThatTheServerFollowedCount() throws Exception {
    resolvConf.set("nameserver 127.0.0.1" + PATIENT);
    udp(1, query -> query.aliases("10.0.0.1", "2001:db8::1"));

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1", "2001:db8::1");
  }

  @Conformance("KN-10")
  @Test
  void aFamilyThatFailsDoesNotFailTheName() throws Exception {
    resolvConf.set("nameserver 127.0.0.1" + PATIENT);
    udp(
        1,
        query -> query.ip6() ? query.code(ScriptedNameServer.SERVFAIL) : query.answer("10.0.0.1"));

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1");
  }

  @Conformance("KN-10")
  @Test
  void aFamilyThatIsSilentIsWaitedForAFewSecondsAtMost() throws Exception {
    resolvConf.set(SERVERS + PATIENT);
    Function<Query, List<byte[]>> half =
        query -> query.ip6() ? List.of(query.answer("2001:db8::1")) : List.of();
    servers.forEach(server -> server.udp = half);

    assertThat(start("pay.test").get(25, TimeUnit.SECONDS).isOk()).isTrue();

    assertThat(server(3).asked()).hasSize(2);
  }

  @Conformance("KN-10")
  @Test
  void aPacketThatIsLostDoesNotLoseAFamily() throws Exception {
    resolvConf.set("nameserver 127.0.0.1" + PATIENT);
    server(1).udp =
        query ->
            query.ip6() && server(1).asked().size() < 3
                ? List.of()
                : List.of(query.answer("10.0.0.1", "2001:db8::1"));

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1", "2001:db8::1");
  }

  @Conformance("KN-10")
  @Test
  void singleRequestAsksForOneFamilyAfterTheOtherAndNoAaaaForOne() throws Exception {
    udp(1, query -> query.answer("10.0.0.1", "2001:db8::1"));

    resolvConf.set("nameserver 127.0.0.1\noptions single-request" + PATIENT);
    assertThat(addresses("pay.test")).containsExactly("10.0.0.1", "2001:db8::1");
    assertThat(server(1).asked()).containsExactly("udp A pay.test.", "udp AAAA pay.test.");
    resolvConf.set("nameserver 127.0.0.1\noptions no-aaaa" + PATIENT);
    assertThat(addresses("pay.test")).containsExactly("10.0.0.1");
    assertThat(server(1).asked()).hasSize(3);
  }

  @Conformance("KN-10")
  @Test
  void rotateBeginsWithAnotherServerEachTime() throws Exception {
    resolvConf.set(SERVERS + "options rotate" + PATIENT);
    for (int i = 1; i <= 3; i++) {
      String ip = "10.0.0." + i;
      udp(i, query -> query.answer(ip));
    }

    assertThat(
            List.of(
                addresses("pay.test"),
                addresses("pay.test"),
                addresses("pay.test"),
                addresses("pay.test")))
        .containsExactly(
            List.of("10.0.0.1"), List.of("10.0.0.2"), List.of("10.0.0.3"), List.of("10.0.0.1"));
  }

  @Conformance("KN-10")
  @Test
  void aSearchDomainThatIsSilentOrRefusedDoesNotEndTheSearch() throws Exception {
    resolvConf.set(
        "nameserver 127.0.0.1\nsearch mute.example broken.example shop.example\n"
            + "options timeout:6 attempts:1"); // the last answer may be held up
    server(1).udp =
        query ->
            switch (query.name()) {
              case "pay.mute.example." -> List.of();
              case "pay.broken.example." -> List.of(query.code(ScriptedNameServer.SERVFAIL));
              default -> List.of(query.answer("10.0.0.1"));
            };

    assertThat(addresses("pay")).containsExactly("10.0.0.1");
    assertThat(server(1).asked()).contains("udp A pay.shop.example.");
  }

  @Conformance({"KN-10", "DI-08"})
  @Test
  void aNameThatDoesNotExistIsNamedAsItWasAskedFor() throws Exception {
    resolvConf.set("nameserver 127.0.0.1\nsearch shop.example" + PATIENT);
    udp(1, query -> query.code(ScriptedNameServer.NXDOMAIN));

    assertThat(failure("pay.test"))
        .isEqualTo(
            ("NXDOMAIN from 127.0.0.1:%d for pay.test, pay.test.shop.example;"
                    + " check the name, and the search domains of /etc/resolv.conf")
                .formatted(server(1).port()));
    assertThat(server(1).asked()).hasSize(4); // the next server would say the same
  }

  @Conformance("KN-10")
  @Test
  void aNameWithoutAddressesFails() throws Exception {
    resolvConf.set("nameserver 127.0.0.1" + PATIENT);
    udp(1, Query::answer);

    assertThat(failure("pay.test")).startsWith("no address in the answer of 127.0.0.1:");
  }

  @Conformance("KN-10")
  @Test
  void aChangedResolvConfCountsForTheNextLookUpUnlessItSaysNoReload() throws Exception {
    for (int i = 1; i <= 3; i++) {
      String ip = "10.0.0." + i;
      udp(i, query -> query.answer(ip));
    }

    resolvConf.set("nameserver 127.0.0.1" + PATIENT);
    assertThat(addresses("pay.test")).containsExactly("10.0.0.1");
    resolvConf.set("nameserver 127.0.0.2\noptions no-reload" + PATIENT);
    assertThat(addresses("pay.test")).containsExactly("10.0.0.2");
    resolvConf.set("nameserver 127.0.0.3" + PATIENT);
    assertThat(addresses("pay.test")).containsExactly("10.0.0.2");
  }

  /** Random changes of right answers, and noise: addresses or a reason, never silence. */
  @Conformance("KN-10")
  @Test
  void anyBytesAreAddressesOrAFailure() {
    Seeds.each(1, this::anyBytesAreAddressesOrAFailure);
  }

  private void anyBytesAreAddressesOrAFailure(long seed) {
    var random = new Random(seed);
    Function<Query, List<byte[]>> noise =
        query -> {
          synchronized (random) {
            return Stream.generate(() -> damaged(query, random)).limit(random.nextInt(3)).toList();
          }
        };
    servers.forEach(
        server -> {
          server.udp = noise;
          server.tcp = noise;
        });
    resolvConf.set(SERVERS + "options timeout:1 attempts:1");

    var answers = new ArrayList<CompletableFuture<Outcome<Answer>>>();
    for (int i = 0; i < 1000; i++) {
      answers.add(start("pay" + seed + "-" + i + ".test"));
    }

    for (CompletableFuture<Outcome<Answer>> answer : answers) {
      Outcome<Answer> outcome = answer.orTimeout(100, TimeUnit.SECONDS).join();
      assertThat(outcome.isOk() || outcome.status().message().endsWith("of /etc/resolv.conf"))
          .as("seed %d: %s", seed, outcome)
          .isTrue();
      assertThat(outcome.status().message())
          .as("seed %d: no exception that is taken for a closed port", seed)
          .doesNotContain("cannot be reached");
    }
    assertThat(answers).as("seed %d", seed).anyMatch(answer -> answer.join().isOk());
    assertThat(answers).as("seed %d", seed).anyMatch(answer -> !answer.join().isOk());
  }

  private static byte[] damaged(Query query, Random random) {
    byte[] answer =
        switch (random.nextInt(4)) {
          case 0 -> query.aliases("10.0.0.1", "2001:db8::1");
          case 1 -> query.truncated("10.0.0.1", "2001:db8::1");
          case 2 -> new byte[random.nextInt(100)];
          default -> query.answer("10.0.0.1", "10.0.0.2", "2001:db8::1");
        };
    int kept = random.nextBoolean() ? answer.length : random.nextInt(answer.length + 1);
    byte[] damaged = Arrays.copyOf(answer, kept);
    for (int i = random.nextInt(8); i > 0 && kept > 2; i--) {
      damaged[2 + random.nextInt(kept - 2)] = (byte) random.nextInt();
    }
    return damaged;
  }

  @Conformance("A37-08")
  @Test
  void aSilentNameHoldsUpNoOther() throws Exception {
    resolvConf.set("nameserver 127.0.0.1" + PATIENT);
    server(1).udp =
        query -> query.name().startsWith("mute") ? List.of() : List.of(query.answer("10.0.0.1"));
    var slow = start("mute.test");

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1");
    assertThat(slow).isNotDone();
  }

  @Test
  void literalsAndTheHostsFileNeedNoNameServer() throws Exception {
    closeServers();

    assertThat(addresses("192.0.2.7")).containsExactly("192.0.2.7");
    assertThat(addresses("2001:DB8:0:0::1")).containsExactly("2001:db8::1");
    assertThat(addresses("LocalHost.")).contains("127.0.0.1");
  }

  @Test
  void theSettingsOfTheMachineMakeALookUp() throws Exception {
    control.execute(lookup::close);
    lookup = new NettyDnsLookup(control);

    assertThat(addresses("localhost")).contains("127.0.0.1");
    assertThat(failure("a..b")).isEqualTo("this is no host name");
  }

  @Test
  void aCancelledLookUpIsSilent() throws Exception {
    resolvConf.set("nameserver 127.0.0.1" + PATIENT);
    udp(1, query -> query.answer("10.0.0.1"));
    var answer = new CompletableFuture<Outcome<Answer>>();
    control.execute(
        () -> {
          lookup.resolve("192.0.2.7", 443, answer::complete).run();
          lookup.resolve("pay.test", 443, answer::complete).run();
        });

    assertThat(addresses("pay.test")).containsExactly("10.0.0.1");
    assertThat(answer).isNotDone();
  }
}
