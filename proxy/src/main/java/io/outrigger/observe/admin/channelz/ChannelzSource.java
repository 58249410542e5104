package io.outrigger.observe.admin.channelz;

import io.outrigger.dataplane.upstream.SubchannelName;
import io.outrigger.http2.SocketView;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Where channelz looks; any thread may ask, and none is blocked. */
public interface ChannelzSource {
  /** Everything but connections, as it stands or stood a moment ago. */
  CompletionStage<ChannelzView> view();

  /** The open connections of a subchannel, by id. */
  CompletionStage<List<SocketView>> sockets(SubchannelName subchannel);

  /**
   * The open connections to a forward's port, by id.
   *
   * @param from the least id
   * @param max how many at most
   */
  CompletionStage<List<SocketView>> serverSockets(String forward, long from, int max);

  /** An open connection of either kind. */
  CompletionStage<Optional<SocketView>> socket(long id);
}
