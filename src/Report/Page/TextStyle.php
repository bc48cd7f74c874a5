<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * How loud a paragraph is.
 *
 * @internal
 */
enum TextStyle: string
{
    case Plain = 'plain';
    case Lead = 'lead';
    case Note = 'note';
}
