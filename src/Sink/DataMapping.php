<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * What can be done with the column `data` of an event in an index. What senders put there differs, and a field for each
 * name they think of would be too many.
 *
 * @internal
 */
enum DataMapping: string
{
    /** One field; its values can be searched by their path as whole words. */
    case Flattened = 'flattened';

    /** Searched only by what the index's owner adds to the mapping. */
    case Object = 'object';

    /** Kept and shown, not searched; it may be anything, also a text or a number. */
    case Stored = 'stored';
}
