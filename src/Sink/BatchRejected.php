<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Permanent;

/**
 * The server rejected the whole delivery without reading its events: the address is wrong, for example, or the API key
 * has been revoked.
 *
 * No event is at fault, so none becomes a dead letter. After a change of the settings, the flusher may send the range
 * to another sink. If an earlier attempt may have arrived, the range stays bound to the sink of that attempt.
 */
interface BatchRejected extends Permanent, UnableToDeliver {}
