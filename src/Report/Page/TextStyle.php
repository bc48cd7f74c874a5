<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * The size and weight of a paragraph.
 *
 * @internal
 */
enum TextStyle: string
{
    case Plain = 'plain';
    case Lead = 'lead';
    case Note = 'note';
}
