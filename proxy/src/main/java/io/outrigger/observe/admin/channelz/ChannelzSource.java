package io.outrigger.observe.admin.channelz;

import io.outrigger.dataplane.upstream.SubchannelName;
import io.outrigger.http2.SocketView;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The source of channelz data; its methods run on any thread and do not block. */
public interface ChannelzSource {
  /** Returns all objects except connections, in a snapshot that may be a moment old. */
  CompletionStage<ChannelzView> view();

  CompletionStage<List<SocketView>> sockets(SubchannelName subchannel);

  /** Returns the open connections to a forward's port, ordered by id. */
  CompletionStage<List<SocketView>> serverSockets(String forward, long from, int max);

  /** Returns an open connection to a backend or to a forward's port. */
  CompletionStage<Optional<SocketView>> socket(long id);
}
