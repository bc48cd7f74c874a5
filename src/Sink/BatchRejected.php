<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Permanent;

/**
 * The server rejected the whole delivery without reading its events: the address is wrong, for example, or the API key
 * has been revoked.
 *
 * No event is at fault, so none becomes a dead letter. The flusher may send the range with changed settings, unless an
 * earlier attempt may have arrived: then the range stays bound to the sink that it was first sent to.
 */
interface BatchRejected extends Permanent, UnableToDeliver {}
