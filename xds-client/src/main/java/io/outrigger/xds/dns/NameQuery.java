package io.outrigger.xds.dns;

import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.dns.Exchange.Reply;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Queries the addresses of one name. The candidates are the name itself and the name with each
 * domain of the search list. The candidates are queried one after the other until a candidate has
 * addresses. The IPv4 and IPv6 addresses are queried in parallel, unless resolv.conf has {@code
 * single-request}.
 */
@LoopConfined
final class NameQuery {
  /**
   * The timeout of a query when addresses of the other family (IPv4 or IPv6) are known. With this
   * timeout, six queries (three servers, two attempts) end before {@code DnsName} reports that the
   * name has no answer.
   */
  private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(1);

  private final EventLoop loop;
  private final ResolvConf conf;
  private final List<InetSocketAddress> servers;
  private final Consumer<Outcome<Reply.Found>> callback;
  private final Deque<String> candidates;
  private final Set<String> tried = new LinkedHashSet<>();
  private final Set<String> missing = new LinkedHashSet<>();
  private final Set<String> failures = new LinkedHashSet<>();
  private final Deque<DnsRecordType> families = new ArrayDeque<>(); // to be queried
  private final Set<FamilyQuery> running = new HashSet<>();
  private final List<InetAddress> found = new ArrayList<>();
  private boolean isPartial; // a family of the present candidate had no conclusive answer
  private Duration ttl = ChronoUnit.FOREVER.getDuration();

  /**
   * @param candidates the full names to be queried in order, at least one
   * @param callback called once, unless {@link #close} is called first
   */
  NameQuery(
      EventLoop loop,
      ResolvConf conf,
      List<InetSocketAddress> servers,
      List<String> candidates,
      Consumer<Outcome<Reply.Found>> callback) {
    this.loop = loop;
    this.conf = conf;
    this.servers = servers;
    this.candidates = new ArrayDeque<>(candidates);
    this.callback = callback;
  }

  void start() {
    String candidate = candidates.remove();
    tried.add(candidate);
    isPartial = false;
    families.add(DnsRecordType.A);
    if (!conf.has("no-aaaa")) {
      families.add(DnsRecordType.AAAA);
    }
    do {
      queryNextFamily(candidate);
    } while (!families.isEmpty() && !conf.has("single-request"));
  }

  private void queryNextFamily(String candidate) {
    var query = new FamilyQuery(candidate, families.remove());
    running.add(query);
    if (!found.isEmpty()) {
      query.shortenTimeouts();
    }
    query.start();
  }

  private void onReply(FamilyQuery query, Reply reply) {
    running.remove(query);
    if (reply instanceof Reply.Found answer) {
      found.addAll(answer.addresses());
      ttl = answer.ttl().compareTo(ttl) < 0 ? answer.ttl() : ttl;
      running.forEach(FamilyQuery::shortenTimeouts);
    } else if (reply instanceof Reply.Missing answer) {
      missing.add(answer.reason());
    } else if (reply instanceof Reply.Failed answer) {
      failures.add(answer.reason());
      isPartial = true;
    }
    if (!families.isEmpty() && conf.has("single-request")) {
      queryNextFamily(query.candidate);
    } else if (running.isEmpty() && families.isEmpty()) {
      onBothFamilies();
    }
  }

  private void onBothFamilies() {
    if (!found.isEmpty()) {
      found.sort(Comparator.comparingInt(address -> address.getAddress().length)); // IPv4 first
      callback.accept(Outcome.ok(new Reply.Found(found, ttl, isPartial)));
    } else if (!candidates.isEmpty()) {
      start();
    } else {
      callback.accept(Outcome.failed(RpcStatus.unavailable(reason())));
    }
  }

  private String reason() {
    if (!failures.isEmpty()) {
      return String.join(", ", failures) + "; check the name servers of " + ResolvConf.FILE;
    }
    return "%s for %s; check the name, and the search domains of %s"
        .formatted(String.join(", ", missing), String.join(", ", tried), ResolvConf.FILE);
  }

  void close() {
    candidates.clear();
    families.clear();
    running.forEach(FamilyQuery::close);
  }

  /**
   * Queries the addresses of one family (IPv4 or IPv6). The servers are queried one after the other
   * until a server gives a conclusive answer. The option {@code attempts} limits the passes over
   * the servers.
   */
  private final class FamilyQuery {
    private final String candidate;
    private final DnsQuestion question;
    private final Set<String> reasons = new LinkedHashSet<>(); // why exchanges failed
    private Duration timeout = conf.timeout();
    private int exchanges;
    private Optional<Exchange> exchange = Optional.empty();

    FamilyQuery(String candidate, DnsRecordType family) {
      this.candidate = candidate;
      this.question = new DefaultDnsQuestion(candidate, family);
    }

    void start() {
      InetSocketAddress server = servers.get(exchanges % servers.size());
      exchanges++;
      var next =
          new Exchange(loop, server, question, timeout, NioDatagramChannel::new, this::onAnswer);
      exchange = Optional.of(next);
      next.start(conf.has("use-vc"));
    }

    private void onAnswer(Reply reply) {
      if (!(reply instanceof Reply.Failed failed)) {
        onReply(this, reply);
        return;
      }
      reasons.add(failed.reason());
      if (exchanges < servers.size() * conf.attempts()) {
        start();
      } else {
        onReply(this, new Reply.Failed(String.join(", ", reasons)));
      }
    }

    /** Called when the other address family of the name has addresses. */
    void shortenTimeouts() {
      timeout = timeout.compareTo(SHORT_TIMEOUT) < 0 ? timeout : SHORT_TIMEOUT;
      exchange.ifPresent(running -> running.limitTimeout(timeout));
    }

    void close() {
      exchange.ifPresent(Exchange::close);
    }
  }
}
