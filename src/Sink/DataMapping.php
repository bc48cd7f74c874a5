<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * How an index maps the column `data` of an event. Senders choose its members freely, and a field for each name would
 * exceed the index's limit of fields.
 *
 * @internal
 */
enum DataMapping: string
{
    /** One field. You can search its values by path, as whole words. */
    case Flattened = 'flattened';

    /** An object that is searchable only through mappings that the owner of the index adds. */
    case Object = 'object';

    /** Stored and returned, not searchable. The value may have any type, also text or a number. */
    case Stored = 'stored';
}
