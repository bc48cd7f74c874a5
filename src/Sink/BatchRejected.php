<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Permanent;

/**
 * The other side turned the delivery away unread, whatever was in it: a wrong address, a key that is no longer good. No
 * event is to blame and none is set aside. Unless an earlier try may have arrived, the range is not bound to this sink's
 * settings: once they are mended, it goes where they say.
 */
interface BatchRejected extends Permanent, UnableToDeliver {}
