package io.outrigger.xds.dns;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.dns.DnsQuestion;
import io.outrigger.base.LoopConfined;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The addresses of one family of one name: all servers are asked, one after the other and as often
 * as {@code attempts} says, until one gives an answer that counts.
 */
@LoopConfined
final class FamilyQuery {
  /**
   * The wait for each server once the other family has addresses. Six queries (three servers, two
   * attempts) end before {@code DnsName} takes the name for unresolved.
   */
  private static final Duration HURRIED = Duration.ofSeconds(1);

  private final EventLoop loop;
  private final ResolvConf conf;
  private final List<InetSocketAddress> servers;
  private final DnsQuestion question;
  private final Consumer<Reply> onReply;
  private final Set<String> troubles = new LinkedHashSet<>();
  private Duration timeout;
  private int asked;
  private Optional<Exchange> running = Optional.empty();

  /**
   * @param servers those of {@code conf}, in the order in which to ask
   * @param onReply called once, after {@link #start} returned, unless {@link #close} comes first
   */
  FamilyQuery(
      EventLoop loop,
      ResolvConf conf,
      List<InetSocketAddress> servers,
      DnsQuestion question,
      Consumer<Reply> onReply) {
    this.loop = loop;
    this.conf = conf;
    this.servers = servers;
    this.question = question;
    this.onReply = onReply;
    this.timeout = conf.timeout();
  }

  void start() {
    var exchange =
        new Exchange(loop, servers.get(asked % servers.size()), question, timeout, this::onAnswer);
    asked++;
    running = Optional.of(exchange);
    exchange.start(conf.has("use-vc"));
  }

  private void onAnswer(Reply reply) {
    if (!(reply instanceof Reply.Trouble trouble)) {
      onReply.accept(reply);
      return;
    }
    troubles.add(trouble.reason());
    if (asked < servers.size() * conf.attempts()) {
      start();
    } else {
      onReply.accept(new Reply.Trouble(String.join(", ", troubles)));
    }
  }

  /** The other family has addresses: this one is not waited for much longer. */
  void hurry() {
    timeout = timeout.compareTo(HURRIED) < 0 ? timeout : HURRIED;
    running.ifPresent(exchange -> exchange.limit(timeout));
  }

  void close() {
    running.ifPresent(Exchange::close);
  }
}
