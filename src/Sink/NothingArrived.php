<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Permanent;

/**
 * The other side turned the delivery away unread, whatever was in it: a wrong address, a key that is no longer good. No
 * event is to blame and none is set aside. The range is not bound to this sink: once its settings are mended, it goes there.
 */
interface NothingArrived extends Permanent, UnableToDeliver {}
