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
 * Queries the addresses of one family of one name. The query goes to all servers, one after the
 * other, up to {@code attempts} times each, until a server gives a conclusive answer.
 */
@LoopConfined
final class FamilyQuery {
  /**
   * The timeout for each server after the other family has addresses. Six such queries (three
   * servers, two attempts) end before {@code DnsName} reports that the name has no answer.
   */
  private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(1);

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
   * @param servers the servers of {@code conf}, in the order of queries
   * @param onReply called once, after {@link #start} has returned, unless {@link #close} was called
   *     before
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

  /**
   * Shortens the timeouts of this and later exchanges. Called when the other address family of the
   * name has addresses.
   */
  void shortenTimeouts() {
    timeout = timeout.compareTo(SHORT_TIMEOUT) < 0 ? timeout : SHORT_TIMEOUT;
    running.ifPresent(exchange -> exchange.limit(timeout));
  }

  void close() {
    running.ifPresent(Exchange::close);
  }
}
